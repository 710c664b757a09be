import type { Command } from 'commander';
import type { Config } from '../config/config.js';

/** Gets a service of the application. */
export type Get = <Service>(token: abstract new (...args: never[]) => Service) => Service;

/** Runs `work` on the database of a possibly running service, then closes all resources. */
export type WithApp = <Result>(work: (get: Get) => Promise<Result>) => Promise<Result>;

/** Words of a command line that no command takes; undefined if these are not of this kind either. */
type TakeWords = (words: readonly string[]) => Promise<void> | undefined;

/** Variants of the application for a few commands, and commands without fixed names. */
export interface OtherApps {
  /** Skips the check of the secret key, for commands that replace it. */
  readonly withAnyKey: WithApp;
  /**
   * On an unmigrated database, without the start's work. For commands that must not affect a running
   * service.
   */
  readonly asItIs: WithApp;
  /** During a restore: on a migrated database, without the start's work, and with any key. */
  readonly restored: WithApp;
  /** The settings, for commands without the application. @throws InvalidConfiguration */
  readonly settings: () => Config;
  /** Called with the words of an unknown command, before it is refused. */
  readonly otherwise: (take: TakeWords) => void;
}

/** Adds the commands of a subject to the program. */
export type RegisterCommands = (program: Command, withApp: WithApp, others: OtherApps) => void;
