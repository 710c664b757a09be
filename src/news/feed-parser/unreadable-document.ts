import { invalid } from '../../common/errors/domain-error.js';

/** A document that cannot be read. The message says why. */
export class UnreadableDocument extends invalid() {}
