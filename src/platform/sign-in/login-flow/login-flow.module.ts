import { offered, Subject } from '../../../common/subjects/subject.js';
import { AppPasswordsModule } from '../app-passwords/app-passwords.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { GrantsOffer } from '../sessions/sessions.repository.js';
import { GrantController } from './grant.controller.js';
import { LoginFlowController } from './login-flow.controller.js';
import { LoginFlowService } from './login-flow.service.js';
import { LoginFlowEntity, LoginFlowsRepository } from './login-flows.repository.js';

/** Log-in of programs in a browser (login flow v2). */
@Subject({
  imports: [AppPasswordsModule, SecondFactorModule, SessionsModule],
  controllers: [GrantController, LoginFlowController],
  providers: [LoginFlowService, LoginFlowsRepository, offered(GrantsOffer, LoginFlowsRepository)],
  entities: [LoginFlowEntity],
})
export class LoginFlowModule {}
