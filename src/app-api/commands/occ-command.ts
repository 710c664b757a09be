import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { flag, handler, name, text, UNLIMITED } from '../field-schemas.js';
import { byName, identityOf, type Capability } from '../capabilities/capability.js';

const consoleInputs = orElse(
  z.array(z.looseObject({ name: name(64) }, { error: 'must be an object with a name' }), {
    error: 'must be a list',
  }),
  [],
);

const input = z.object({
  name: name(64),
  description: orElse(text(255), ''),
  hidden: orElse(flag, false),
  // Stored as sent: apps compare what they read back. `console-inputs.ts` interprets them.
  arguments: consoleInputs,
  options: consoleInputs,
  usages: orElse(z.array(text(UNLIMITED), { error: 'must be a list of texts' }), []),
  executeHandler: handler(410),
});

export type OccCommandFields = z.output<typeof input>;

/** An argument or option as the app sent it. */
export type SentConsoleInput = OccCommandFields['arguments'][number];

/** A command of the host's command line that the app executes. */
export const OCC_COMMAND: Capability<OccCommandFields> = {
  kind: 'occ_command',
  routes: ['v1/occ_command'],
  input,
  keyInput: byName(64),
  keyOf: (fields) => fields.name,
  toJson: ({ fields, ...entry }) => ({
    ...identityOf(entry),
    name: fields.name,
    description: fields.description,
    hidden: Number(fields.hidden),
    arguments: fields.arguments,
    options: fields.options,
    usages: fields.usages,
    execute_handler: fields.executeHandler,
  }),
  missing: 'No such command',
};
