import { Subject } from '../../../common/subjects/subject.js';
import { NewPasswords } from './new-passwords.service.js';
import { PasswordHash } from './password-hash.service.js';

/** Hashes and rules of passwords of accounts. */
@Subject({
  providers: [NewPasswords, PasswordHash],
  exports: [NewPasswords, PasswordHash],
})
export class AccountPasswordsModule {}
