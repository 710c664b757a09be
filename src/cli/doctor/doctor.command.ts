import type { Command } from 'commander';
import { inOwnProcess } from '../../common/command-line/own-process.js';
import { AS_JSON, show, type AsJson } from '../../common/command-line/say.js';
import type { CheckFinding, CheckedSubject } from '../../common/ports/installation-checks.js';
import { examineInstallation } from './examine-installation.js';

const MARKS: Readonly<Record<CheckFinding['state'], string>> = {
  ok: '  ok      ',
  warning: '  WARNING ',
  error: '  ERROR   ',
  off: '  off     ',
};

const INDENT = ' '.repeat(MARKS.ok.length);

/** The operator's command for the whole installation. Exit code: 0 ok, 1 warnings, 2 errors. */
export function registerInstallationDoctorCommand(program: Command): void {
  inOwnProcess(program.command('doctor'))
    .description(
      'examine the installation, beside a running service or without one; changes nothing',
    )
    .option(...AS_JSON)
    .option('--mail-to <address>', 'send a mail to this address, too')
    .action(async ({ json, mailTo }: AsJson & { readonly mailTo?: string }) => {
      const subjects = await examineInstallation(mailTo);
      const state = worstOf(subjects);
      show({ state, subjects }, { json }, () => report(subjects));
      process.exitCode = { ok: 0, warning: 1, error: 2 }[state];
    });
}

function worstOf(subjects: readonly CheckedSubject[]): 'ok' | 'warning' | 'error' {
  const states = new Set(subjects.flatMap(({ findings }) => findings.map(({ state }) => state)));
  if (states.has('error')) {
    return 'error';
  }
  return states.has('warning') ? 'warning' : 'ok';
}

function report(subjects: readonly CheckedSubject[]): string {
  const all = subjects.flatMap(({ findings }) => findings);
  const count = (state: CheckFinding['state']) => all.filter((one) => one.state === state).length;
  return [
    ...subjects.map(({ subject, findings }) =>
      [subject, ...findings.map((finding) => lineOf(finding)), ''].join('\n'),
    ),
    `Errors: ${count('error')}. Warnings: ${count('warning')}.`,
  ].join('\n');
}

function lineOf({ state, text, advice }: CheckFinding): string {
  return `${MARKS[state]}${text}${advice === undefined ? '' : `\n${INDENT}→ ${advice}`}`;
}
