/** Validates the fields with `isJson` (components/form.tsx) while the user types: shows the fault below, and blocks the form. */
import { jsonFault } from '@ulmus/content'

for (const field of document.querySelectorAll<HTMLTextAreaElement>('textarea.json')) {
  const state = document.createElement('p')
  state.className = 'help json-state'
  state.setAttribute('role', 'status')
  field.after(state)
  const check = () => {
    const fault = field.value.trim() === '' ? undefined : jsonFault(field.value)
    state.textContent = fault ?? ''
    field.setCustomValidity(fault ?? '')
    field.toggleAttribute('aria-invalid', fault !== undefined)
  }
  field.addEventListener('input', check)
  check()
}
