import { Subject } from '../../../common/subjects/subject.js';
import { SecretKeyEntity, SecretKeyRepository } from './secret-key.repository.js';
import { SecretKeyService } from './secret-key.service.js';
import { SecretChecks } from './secret.checks.js';
import { registerSecretCommands } from './secrets.commands.js';

/** The secret key, and sealed values. */
@Subject({
  providers: [SecretChecks, SecretKeyRepository, SecretKeyService],
  entities: [SecretKeyEntity],
  commands: [registerSecretCommands],
})
export class SecretKeyModule {}
