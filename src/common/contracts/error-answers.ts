import type { ErrorForm } from './api-document.js';
import type { JsonSchema } from './json-schema.js';

/** Envelope of every answer below the OCS roots. */
export function ocsEnvelope(data: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['ocs'],
    properties: {
      ocs: {
        type: 'object',
        required: ['meta', 'data'],
        properties: { meta: { $ref: '#/components/schemas/OcsMeta' }, data },
      },
    },
  };
}

export const OCS_META: JsonSchema = {
  type: 'object',
  required: ['status', 'statuscode', 'message'],
  properties: {
    status: { enum: ['ok', 'failure'] },
    statuscode: { type: 'integer', description: 'At `/ocs/v1.php` 100 for success.' },
    message: { type: ['string', 'null'] },
    totalitems: { type: 'string', description: 'Only at `/ocs/v1.php`; always empty.' },
    itemsperpage: { type: 'string', description: 'Only at `/ocs/v1.php`; always empty.' },
  },
};

const message = (schema: JsonSchema): Readonly<Record<string, object>> => ({
  'application/json': { schema },
});

const JSON_ERROR = message({
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string', description: 'A sentence for people.' } },
});

/** The bodies of errors, by media type. */
export function errorContent(form: ErrorForm): Readonly<Record<string, object>> {
  switch (form) {
    case 'text':
      // Addresses that cannot be decoded are refused before the route is known, as JSON.
      return { 'text/plain': { schema: { type: 'string' } }, ...JSON_ERROR };
    case 'dav':
      return {
        'application/xml': { schema: { type: 'string', description: 'As WebDAV has them.' } },
      };
    case 'ocs':
      return {
        ...message(ocsEnvelope({ description: 'Usually empty.' })),
        'application/xml': { schema: { type: 'string', description: 'The same as elements.' } },
      };
    case 'json':
      return JSON_ERROR;
  }
}
