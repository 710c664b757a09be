import { Subject } from '../../common/subjects/subject.js';
import { CredentialsModule } from '../../platform/sign-in/credentials/credentials.module.js';
import { DeliveryModule } from '../reader/delivery/delivery.module.js';
import { FoldersModule } from '../reader/folders/folders.module.js';
import { ItemsModule } from '../reader/items/items.module.js';
import { StreamsModule } from '../reader/streams/streams.module.js';
import { FeverAnswers } from './fever-answers.provider.js';
import { FeverController } from './fever.controller.js';
import { FeverRepository } from './fever.repository.js';
import { FeverService } from './fever.service.js';

/**
 * The Fever API, for clients that know no other.
 *
 * @see docs/fever-api.md
 */
@Subject({
  imports: [CredentialsModule, DeliveryModule, FoldersModule, ItemsModule, StreamsModule],
  controllers: [FeverController],
  providers: [FeverRepository, FeverAnswers, FeverService],
  edgeRules: [
    // Wherever clients look for it.
    {
      path: /^\/(?:fever(?:\/fever)?|(?:api\/)?fever\.php)\/?$/i,
      crossOrigin: true,
      rawBody: true,
    },
  ],
})
export class FeverModule {}
