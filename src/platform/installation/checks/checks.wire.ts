import { z } from 'zod';
import type { CheckedSubject } from '../../../common/ports/installation-checks.js';
import { shownSentence } from '../../../common/texts/visitor-language.js';

export const ChecksAnswer = z.array(
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

/** In the language of the administrator; the command prints English. */
export function toShown(subjects: readonly CheckedSubject[]): CheckedSubject[] {
  return subjects.map(({ subject, findings }) => ({
    subject,
    findings: findings.map(({ advice, ...finding }) => ({
      ...finding,
      text: shownSentence(finding.text),
      ...(advice !== undefined && { advice: shownSentence(advice) }),
    })),
  }));
}
