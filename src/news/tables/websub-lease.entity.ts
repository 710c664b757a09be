import { entityOf, p } from '../../database/entity-of.js';

/**
 * `wanted`: to be requested. `asked`: accepted by the hub, which has yet to verify it. `active`: the
 * hub notifies us. `refused`: requested again later. `leaving`: to be unsubscribed.
 */
export type WebSubState = 'wanted' | 'asked' | 'active' | 'refused' | 'leaving';

/** The subscription of a source at a WebSub hub. */
export class WebsubLeaseEntity extends entityOf('websub_lease', {
  callbackId: p.text().primary(),
  sourceId: p.bigint('number').strictNullable(),
  hubUrl: p.text(),
  topicUrl: p.text(),
  /** Plain secret of an older version, to be sealed. */
  secret: p.text().strictNullable(),
  state: p.text().$type<WebSubState>(),
  expiresAt: p.datetime().strictNullable(),
  nextStepAt: p.datetime().defaultRaw('now()'),
  failures: p.integer().default(0),
  lastCallAt: p.datetime().strictNullable(),
  secretSealed: p.blob().strictNullable(),
}) {}
