import { entityOf, p } from '../../../database/entity-of.js';

/** A host that external apps run on, as the `app_api:daemon:*` commands know it. */
export class AppDaemonEntity extends entityOf('app_daemon', {
  name: p.text().primary(),
  displayName: p.text(),
  /** `manual-install`: the operator runs the processes. */
  acceptsDeployId: p.text(),
  protocol: p.text(),
  /** Host name or address; the port is the app's. */
  host: p.text(),
  deployConfig: p.json().$type<Readonly<Record<string, unknown>>>().defaultRaw("'{}'::jsonb"),
  isDefault: p.boolean().default(false),
}) {}
