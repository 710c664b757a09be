import { Subject } from '../../../common/subjects/subject.js';
import { SecurityEventsModule } from '../../accounts/security/security.module.js';
import { UsersModule } from '../../accounts/users/users.module.js';
import { NotificationsModule } from '../../notifications/notifications.module.js';
import { LoginFormsModule } from '../forms/forms.module.js';
import { PasswordLoginModule } from '../passwords/passwords.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ThrottleModule } from '../throttle/throttle.module.js';
import { FactorChangesRepository } from './factor-changes.repository.js';
import { FactorCheck } from './factor-check.service.js';
import { HalfLoginController } from './half-login.controller.js';
import { HalfLogins } from './half-logins.service.js';
import { PasskeysController } from './passkeys.controller.js';
import { PasskeyAnswers } from './passkeys/passkey-answers.service.js';
import { PasskeyLoginController } from './passkeys/passkey-login.controller.js';
import { PasskeyLogins } from './passkeys/passkey-logins.service.js';
import { PasskeysRepository } from './passkeys/passkeys.repository.js';
import { PasskeysService } from './passkeys/passkeys.service.js';
import { ProofController } from './proof.controller.js';
import { ProofService } from './proof.service.js';
import { SecondFactorResets } from './second-factor-resets.service.js';
import { registerSecondFactorCommands } from './second-factor.commands.js';
import { PasskeyEntity, RecoveryCodeEntity, TotpFactorEntity } from './second-factor.entities.js';
import {
  SecondFactorAdminController,
  SecondFactorsController,
} from './second-factors.controller.js';
import { SecondFactorsRepository } from './second-factors.repository.js';
import { SecondFactorsService } from './second-factors.service.js';

/** Codes and passkeys as second factors. */
@Subject({
  imports: [
    LoginFormsModule,
    NotificationsModule,
    PasswordLoginModule,
    SecurityEventsModule,
    SessionsModule,
    ThrottleModule,
    UsersModule,
  ],
  controllers: [
    HalfLoginController,
    PasskeyLoginController,
    PasskeysController,
    SecondFactorsController,
    ProofController,
    SecondFactorAdminController,
  ],
  providers: [
    FactorChangesRepository,
    FactorCheck,
    HalfLogins,
    PasskeyAnswers,
    PasskeyLogins,
    PasskeysRepository,
    PasskeysService,
    ProofService,
    SecondFactorsRepository,
    SecondFactorsService,
    SecondFactorResets,
  ],
  exports: [HalfLogins, ProofService],
  entities: [RecoveryCodeEntity, PasskeyEntity, TotpFactorEntity],
  commands: [registerSecondFactorCommands],
})
export class SecondFactorModule {}
