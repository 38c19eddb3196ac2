/**
 * Shapes for signing in: with a browser, and from a terminal by the device grant (RFC 8628). The RFC fixes the snake_case names of members
 * and the codes of refusals. docs/design/http-api.md §2, §10.
 */
import { z } from 'zod'
import { Scope } from './keys.ts'
import { CollectionName, Label } from './text.ts'

/** `GET /auth/login`. Accepts any text, so that foreign targets get an error message of their own. */
export const LoginQuery = z.looseObject({
  return_to: z
    .unknown()
    .optional()
    .meta({
      type: 'string',
      description: 'Path of this site to open after signing in (default: `/`).',
      examples: ['/docs/api'],
    }),
})

/** `POST /auth/device` */
export const DeviceRequest = z
  .strictObject({
    scope: Scope,
    collection: CollectionName.optional().meta({
      description: 'Limit the key to this collection, `owner/slug`.',
      examples: ['ada/cities'],
    }),
    label: Label.meta({ description: 'Label of the key, shown to the user who approves it.' }),
  })
  .meta({
    id: 'DeviceRequest',
    description: 'The key that a program requests.',
    examples: [{ scope: 'write', label: 'ada@laptop' }],
  })
export type DeviceRequest = z.infer<typeof DeviceRequest>

const deviceCode = 'F2hYt0pT1yJ6mB4cVw9sKzN8rQxLdGa3eUoI7bHfXjE'

/** Answer to `POST /auth/device`: the program polls with the secret device code, the user types the other. */
export const DeviceStart = z
  .object({
    device_code: z.string().meta({ description: 'Code for `/auth/device/token`. Keep it secret.' }),
    user_code: z.string().meta({ description: 'Code for the user to enter.' }),
    verification_uri: z.string().meta({ description: 'Page where the user approves or denies.' }),
    verification_uri_complete: z.string().meta({ description: 'The same page, with the code filled in.' }),
    expires_in: z.int().meta({ description: 'Seconds until both codes expire.' }),
    interval: z.int().meta({ description: 'Minimum seconds between two polls.' }),
  })
  .meta({
    id: 'DeviceStart',
    description: 'The codes of a sign-in from a terminal.',
    examples: [
      {
        device_code: deviceCode,
        user_code: 'WDJB-MJHT',
        verification_uri: 'https://registry.example/auth/device',
        verification_uri_complete: 'https://registry.example/auth/device?user_code=WDJB-MJHT',
        expires_in: 600,
        interval: 5,
      },
    ],
  })
export type DeviceStart = z.infer<typeof DeviceStart>

/** `POST /auth/device/token` */
export const DevicePoll = z.strictObject({ device_code: z.string().min(1).max(200) }).meta({
  id: 'DevicePoll',
  description: 'The code of a started sign-in.',
  examples: [{ device_code: deviceCode }],
})
export type DevicePoll = z.infer<typeof DevicePoll>
