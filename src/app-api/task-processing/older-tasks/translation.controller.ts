import { z } from 'zod';
import { Get, Post } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { TakesLargeBodies } from '../../../common/http/largest-body.decorator.js';
import { OcsFailure } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { LanguageNotDetected, NoProvider, TaskFailed } from '../task-processing.errors.js';
import { TranslationService } from './translation.service.js';

const Translate = z.object({
  text: z.string({ error: 'must be a text' }),
  fromLanguage: z.preprocess((value) => value || null, z.string().nullable()),
  toLanguage: z.string({ error: 'must be a language code' }).min(1),
});

const LanguagesAnswer = z.object({
  languages: z.array(
    z.object({ from: z.string(), fromLabel: z.string(), to: z.string(), toLabel: z.string() }),
  ),
  languageDetection: z.boolean(),
});

const TranslatedAnswer = z.object({ text: z.string(), from: z.string().nullable() });

/** Translation for users, with the API of Nextcloud. */
@TakesLargeBodies()
@OcsController('translation')
export class TranslationController {
  constructor(private readonly translation: TranslationService) {}

  @Get('languages', 'Lists the languages of translations.', LanguagesAnswer)
  async languages() {
    return {
      languages: await this.translation.languages(),
      languageDetection: await this.translation.detectsLanguages(),
    };
  }

  @Post('translate', 'Translates a text.', TranslatedAnswer)
  async translate(@CurrentUser() account: Account, @Input(Translate) input: In<typeof Translate>) {
    const { text, fromLanguage: from, toLanguage: to } = input;
    try {
      return await this.translation.translate(account, { text, from, to });
    } catch (error) {
      throw asKnownToClients(error);
    }
  }
}

/** Clients display the message in the data. */
function asKnownToClients(error: unknown): unknown {
  const code = [
    [NoProvider, 412],
    [LanguageNotDetected, 400],
    [TaskFailed, 500],
  ] as const;
  const known = code.find(([kind]) => error instanceof kind);
  if (known === undefined) {
    return error;
  }
  const { message } = error as Error;
  return new OcsFailure(known[1], message, { message });
}
