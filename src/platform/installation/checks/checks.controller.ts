import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../../common/auth/basic-auth.guard.js';
import { Get } from '../../../common/contracts/routes.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import {
  InstallationChecks,
  type CheckedSubject,
} from '../../../common/ports/installation-checks.js';
import { shownSentence } from '../../../common/texts/visitor-language.js';
import { forOthersToo } from '../../../database/statement-limits.js';

const ChecksAnswer = z.array(
  z.object({
    subject: z.string().describe('For instance "Database".'),
    findings: z.array(
      z.object({
        state: z.enum(['ok', 'warning', 'error', 'off']).describe('`off`: not configured.'),
        text: z.string(),
        advice: z.string().optional().describe('What the operator can do about it.'),
      }),
    ),
  }),
);

/** The checks of `gatefold doctor`, for administrators. */
@OcsController('apps/gatefold/api/v1/checks', { guards: [BasicAuthGuard, AdminGuard] })
export class ChecksController {
  /** Concurrent callers share one examination. */
  #underWay: Promise<CheckedSubject[]> | undefined;

  constructor(private readonly checks: InstallationChecks) {}

  /** Takes some seconds when apps do not answer. */
  @Get('', 'Examines the installation, as "gatefold doctor" does.', ChecksAnswer)
  async run() {
    this.#underWay ??= forOthersToo(() => this.checks.run()).finally(
      () => (this.#underWay = undefined),
    );
    return toShown(await this.#underWay);
  }
}

/** Texts in the language of the administrator; the command prints English. */
function toShown(subjects: readonly CheckedSubject[]): CheckedSubject[] {
  return subjects.map(({ subject, findings }) => ({
    subject,
    findings: findings.map(({ advice, ...finding }) => ({
      ...finding,
      text: shownSentence(finding.text),
      ...(advice !== undefined && { advice: shownSentence(advice) }),
    })),
  }));
}
