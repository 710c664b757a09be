import { notFound } from '../../../common/errors/domain-error.js';

/** A hub takes this answer as a refusal. */
export class UnknownSubscription extends notFound('There is no such subscription.') {}
