import { invalid } from '../errors/domain-error.js';

/** A refused command; the message has the remedy. */
export class CommandRefused extends invalid() {}

/** Invalid arguments or options of a command. */
export class CommandMisused extends CommandRefused {}
