import { entityOf, p } from '../../../database/entity-of.js';

export class UsedAllowanceEntity extends entityOf('used_allowance', {
  owner: p.text().primary(),
  kind: p.text().primary(),
  endsAt: p.datetime(),
  used: p.integer(),
  granted: p.integer(),
}) {}
