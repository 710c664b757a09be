import { Subject } from '../../../common/subjects/subject.js';
import { LoginAnswers } from './login-answers.js';
import { PasskeyPlaces } from './passkey-place.js';
import { SealedCookies } from './sealed-cookies.js';

/** Pages and answers that all ways to log in share. */
@Subject({
  providers: [LoginAnswers, PasskeyPlaces, SealedCookies],
  exports: [LoginAnswers, PasskeyPlaces, SealedCookies],
})
export class LoginFormsModule {}
