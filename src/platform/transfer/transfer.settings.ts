import { settings, wholeNumber } from '../../common/config/settings.js';

export class TransferSettings extends settings('GATEFOLD_', {
  GATEFOLD_EXPORT_DAYS: wholeNumber(1, 365)
    .default(7)
    .describe('Days after which the archive that a user had made of their account is removed'),
  GATEFOLD_EXPORT_MIB: wholeNumber(1, 1_000_000)
    .default(2048)
    .describe('Largest archive of an account, in MiB, files included; it is in the database'),
}) {}
