/** Forms of the page of one webhook: test request, replay, new secret, pause, deletion. */
import { resultText, type Webhook, type WebhookTest } from '@ulmus/wire'
import { Field } from '../../components/form.tsx'
import { durationText } from '../../format.ts'
import type { Form } from '../../page.ts'
import { hostOf } from './webhook-facts.tsx'

export const Test = ({ tested }: { tested: WebhookTest | undefined }) => (
  <section>
    {tested !== undefined && (
      <p class={tested.delivered ? 'note' : 'note bad'} role="status">
        <strong>{tested.delivered ? 'The test request arrived.' : 'The test request failed.'}</strong>{' '}
        {resultText(tested)} <span class="quiet">in {durationText(tested.milliseconds)}</span>
      </p>
    )}
    <form method="post" class="form">
      <button type="submit" name="do" value="test">
        Send a test request
      </button>
    </form>
  </section>
)

export const Replay = ({ form }: { form: Form }) => (
  <section>
    <h2>Replay</h2>
    <p>
      Sends all events after a number again, also those that it never got; <code>0</code> sends all that are
      kept. A receiver recognises requests that it has by <code>webhook-id</code>.
    </p>
    <form method="post" class="form inline">
      <Field name="after" label="After the event with the number" form={form} type="number" required />
      <button type="submit" name="do" value="replay">
        Replay
      </button>
    </form>
  </section>
)

export const OtherActions = ({ item }: { item: Webhook }) => (
  <>
    <h2 id="secret">Secret</h2>
    <p>
      The secret signs all requests. It was shown once. After you make a new one, requests are also signed
      with the former one for 24 hours.
    </p>
    <form method="post" class="form">
      <button type="submit" name="do" value="rotate">
        Make a new secret
      </button>
    </form>
    {item.enabled && (
      <>
        <h2>Pause</h2>
        <p>Nothing is sent until you enable it again. Events of that time can be replayed.</p>
        <form method="post" class="form">
          <button type="submit" name="do" value="disable">
            Disable
          </button>
        </form>
      </>
    )}
  </>
)

export const Danger = ({ item, form }: { item: Webhook; form: Form }) => (
  <section class="danger-zone">
    <h2>Delete</h2>
    <p>Deletes the webhook with its deliveries. Nothing further is sent.</p>
    <form method="post" class="form">
      <Field name="confirm" label={`Type “${hostOf(item)}” to confirm`} form={form} required />
      <button type="submit" class="danger" name="do" value="delete">
        Delete this webhook
      </button>
    </form>
  </section>
)
