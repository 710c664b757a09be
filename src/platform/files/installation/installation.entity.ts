import { entityOf, p } from '../../../database/entity-of.js';

/** The single row of facts about this installation. */
export class InstallationEntity extends entityOf('installation', {
  /** Always true: the key that keeps the table at one row. */
  onlyOne: p.boolean().primary().default(true),
  /** Clients append it to file ids. */
  instanceId: p.text(),
  /** The id in the marker file of the content folder; null before its first use. */
  filesMarker: p.text().strictNullable(),
}) {}
