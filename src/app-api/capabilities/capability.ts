import { z } from 'zod';
import { name } from '../field-schemas.js';

/** The kinds of things an external app registers, as stored in `ex_app_registration.kind`. */
export type RegistrationKind =
  | 'occ_command'
  | 'top_menu'
  | 'initial_state'
  | 'script'
  | 'style'
  | 'file_action'
  | 'settings_form'
  | 'translation'
  | 'text_processing'
  | 'speech_to_text'
  | 'task_processing'
  | 'events_listener'
  | 'setup_check'
  | 'talk_bot';

/** A stored registration. Handlers, icons and paths are relative to the app, without leading slash. */
export interface Registration<Fields> {
  readonly id: number;
  readonly appId: string;
  /** Lookup key; unique per app and kind. */
  readonly key: string;
  readonly fields: Fields;
}

/** One line of the list of everything an app has registered. */
export interface RegistrationSummary {
  readonly kind: RegistrationKind;
  readonly name: string;
  /** Empty if the kind has none. */
  readonly displayName: string;
}

/** A kind together with the type of its stored fields. */
export interface KindOf<Fields> {
  readonly kind: RegistrationKind;
  /** Parses a registration request into the stored fields. The limits are the same as in the reference. */
  readonly input?: z.ZodType<Fields>;
}

/**
 * Everything about one kind of registration. `registrationController` makes its POST, GET and DELETE
 * routes from it.
 */
export interface Capability<Fields> extends KindOf<Fields> {
  /** Routes below `apps/app_api/api/`; all of them do the same. */
  readonly routes: readonly string[];
  /** Accepts bodies of up to 4 MiB instead of 1 MiB. */
  readonly largeBodies?: boolean;
  readonly input: z.ZodType<Fields>;
  /** Parses the lookup key out of a GET or DELETE request. */
  readonly keyInput: z.ZodType<string>;
  keyOf(fields: Fields): string;
  /** The registration as apps read it back: snake_case, however it was sent. */
  toJson(registration: Registration<Fields>): object;
  /** Sentences about what is stored, as in the reference, but has no effect: an unknown type, for instance. */
  warningsOf?(fields: Fields, appId: string): readonly string[];
  /** Message of the 404 response; clients display it. */
  readonly missing: string;
  readonly mayBeMissing?: true; // Makes DELETE succeed if there is no registration.
  /** Prefix of the keys of the page resources that are deleted together with the registration. */
  pageKeyPrefix?(key: string): string;
}

/** Lookup by name, for kinds whose key is the name. */
export const byName = (longest: number) =>
  z.object({ name: name(longest) }).transform((fields) => fields.name);

/** The fields that all kinds of registrations have in their JSON. */
export function identityOf({ id, appId }: Pick<Registration<unknown>, 'id' | 'appId'>) {
  return { id, appid: appId };
}
