import type { Command } from 'commander';

const marked = new WeakSet<Command>();

/**
 * Marks a command that a running service does not take over: it reads or writes files of its caller, streams
 * much, listens for signals, examines its own process, or needs another application than that of a service.
 */
export function inOwnProcess(command: Command): Command {
  marked.add(command);
  return command;
}

/** Whether these words call a marked command. */
export function needsOwnProcess(program: Command, [name = '']: readonly string[]): boolean {
  return program.commands.some(
    (command) => marked.has(command) && [command.name(), ...command.aliases()].includes(name),
  );
}
