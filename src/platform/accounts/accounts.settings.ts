import { list, onOff, settings, text, wholeNumber } from '../../common/config/settings.js';

const contactList = list.refine(
  (uris) => uris.every((uri) => /^(?:mailto:|tel:|https:\/\/)[!-~]+$/.test(uri)),
  'must be addresses such as mailto:security@example.org or https://example.org/report',
);

/** The first administrator, passwords, and what is recorded. */
export class AccountsSettings extends settings('GATEFOLD_', {
  GATEFOLD_ADMIN_USER: text.default('admin').describe('Administrator that the first start creates'),
  GATEFOLD_ADMIN_PASSWORD: text
    .describe(
      'Password of that administrator; unset: generated and shown once. Ignored, with a warning, once an administrator exists',
    )
    .meta({ isSecret: true }),
  GATEFOLD_SHORTEST_PASSWORD: wholeNumber(8, 128)
    .default(10)
    .describe('Minimum length of passwords, from 8 to 128'),
  GATEFOLD_KEEP_FAILED_LOGINS: wholeNumber(100, 10_000_000)
    .default(100_000)
    .describe('Maximum rows per table of failed logins, their counters and wrong secrets'),
  GATEFOLD_SECURITY_CONTACT: contactList
    .default([])
    .describe('Addresses for reports of weaknesses, shown in /.well-known/security.txt'),
  GATEFOLD_KEEP_AUDIT_DAYS: wholeNumber(0, 36_500)
    .default(90)
    .describe('Days before entries of the audit log are removed; 0 keeps all'),
  GATEFOLD_AUDIT_IN_LOG: onOff
    .default(false)
    .describe('Write entries of the audit log to the log, too, for collectors'),
}) {}
