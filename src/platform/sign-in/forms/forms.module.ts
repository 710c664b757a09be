import { Subject } from '../../../common/subjects/subject.js';
import { ThrottleModule } from '../throttle/throttle.module.js';
import { LoginAnswers } from './login-answers.service.js';
import { PasskeyPlaces } from './passkey-place.service.js';
import { SealedCookies } from './sealed-cookies.service.js';

/** Pages and answers that all ways to log in share. */
@Subject({
  imports: [ThrottleModule],
  providers: [LoginAnswers, PasskeyPlaces, SealedCookies],
  exports: [LoginAnswers, PasskeyPlaces, SealedCookies],
})
export class LoginFormsModule {}
