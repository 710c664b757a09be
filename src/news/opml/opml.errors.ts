import { invalid } from '../../common/errors/domain-error.js';

/** The file cannot be imported, and nothing of it was; the message says why. */
export class UnreadableOpml extends invalid() {}
