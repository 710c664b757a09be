import { Subject } from '../../../common/subjects/subject.js';
import { AppPasswordsModule } from '../app-passwords/app-passwords.module.js';
import { GrantController } from './grant.controller.js';
import { LoginFlowController } from './login-flow.controller.js';
import { LoginFlowEntity, LoginFlowsRepository } from './login-flows.repository.js';
import { LoginFlowService } from './login-flow.service.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';

/** Log-in of programs in a browser (login flow v2). */
@Subject({
  imports: [AppPasswordsModule, SecondFactorModule],
  controllers: [GrantController, LoginFlowController],
  providers: [LoginFlowService, LoginFlowsRepository],
  entities: [LoginFlowEntity],
})
export class LoginFlowModule {}
