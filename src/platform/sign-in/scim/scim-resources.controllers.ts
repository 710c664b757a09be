import {
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Inject,
  Param,
  Patch,
  Post,
  Put,
  Res,
  UseFilters,
  UseGuards,
  type Type,
  Injectable,
  NotFoundException,
  type CanActivate,
  type ExecutionContext,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Response, Request } from 'express';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import { CredentialsRequired } from '../../../common/auth/auth.errors.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { InvalidInput } from '../../../common/errors/domain-error.js';
import { beginFailure } from '../../../common/errors/failure.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import type { IdentifiedRequest } from '../../../common/http/current-user.decorator.js';
import { FormInput, Input } from '../../../common/http/input.decorator.js';
import { ScimGroupsService } from './scim-groups.service.js';
import { PatchInput } from './scim-patch.js';
import { GroupInput, UserInput } from './scim-resources.js';
import { RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER_CONFIG } from './scim-schemas.js';
import { ScimUsersService } from './scim-users.service.js';
import { InvalidScim, ScimRefusal, type ScimType } from './scim.errors.js';
import type { ScimPage } from './scim.repository.js';
import { ScimSettings } from './scim.settings.js';
import {
  ListInput,
  ShownAttributes,
  SCIM_MEDIA_TYPE,
  toListResponse,
  withAttributes,
} from './scim.wire.js';

/** Admits the provisioning service with the token of `GATEFOLD_SCIM_TOKEN`. */
@Injectable()
export class ScimGuard implements CanActivate {
  constructor(private readonly settings: ScimSettings) {}

  canActivate(context: ExecutionContext): boolean {
    const { token } = this.settings;
    if (token === undefined) {
      throw new NotFoundException('SCIM is not set up here.');
    }
    const request = context.switchToHttp().getRequest<IdentifiedRequest>();
    if (!isSame(request.headers.authorization ?? '', `Bearer ${token}`)) {
      const response = context.switchToHttp().getResponse<Response>();
      response.setHeader('WWW-Authenticate', 'Bearer realm="Gatefold SCIM"');
      throw new CredentialsRequired();
    }
    request.service = 'scim';
    return true;
  }
}

/** Responds with an error of RFC 7644 section 3.12. */
@Catch()
export class ScimErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    const failure = beginFailure(error, http.getRequest<Request>(), response);
    if (failure === null) {
      return;
    }
    // SCIM knows no 422.
    const status = failure.status === 422 ? 400 : failure.status;
    const scimType = typeOf(error, status);
    const body = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType !== undefined && { scimType }),
      detail: failure.message,
    };
    response.status(status).type(SCIM_MEDIA_TYPE).send(JSON.stringify(body));
  }
}

/** The capabilities of this service provider. @see RFC 7644 section 4 */
@Controller('scim/v2')
@UseGuards(ScimGuard)
@UseFilters(ScimErrorFilter)
export class ScimServiceController {
  constructor(private readonly address: PublicAddress) {}

  @Get('ServiceProviderConfig')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  config() {
    return this.#located(SERVICE_PROVIDER_CONFIG, 'ServiceProviderConfig');
  }

  @Get('ResourceTypes')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  resourceTypes() {
    return this.#listed(RESOURCE_TYPES, 'ResourceTypes');
  }

  @Get('ResourceTypes/:id')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  resourceType(@Param('id') id: string) {
    return this.#one(RESOURCE_TYPES, 'ResourceTypes', id);
  }

  @Get('Schemas')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  schemas() {
    return this.#listed(SCHEMAS, 'Schemas');
  }

  @Get('Schemas/:id')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  schema(@Param('id') id: string) {
    return this.#one(SCHEMAS, 'Schemas', id);
  }

  #listed(resources: readonly { readonly id: string }[], path: string) {
    const located = resources.map((one) => this.#located(one, `${path}/${one.id}`));
    return toListResponse(located, { total: resources.length, startIndex: 1 });
  }

  #one(resources: readonly { readonly id: string }[], path: string, id: string) {
    const found = resources.find((one) => one.id === id);
    if (found === undefined) {
      throw new NoScimDocument(path, id);
    }
    return this.#located(found, `${path}/${id}`);
  }

  #located(resource: object, path: string) {
    return { ...resource, meta: { location: this.address.of(`/scim/v2/${path}`) } };
  }
}

class NoScimDocument extends InvalidScim {
  override readonly kind = 'not-found';

  constructor(path: string, id: string) {
    super('invalidValue', `There is no ${JSON.stringify(id)} in ${path}.`);
  }
}

/** Accounts and groups for provisioning services. @see RFC 7644 */
export const SCIM_RESOURCES_CONTROLLERS: Type[] = [
  controllerOf('Users', UserInput, ScimUsersService),
  controllerOf('Groups', GroupInput, ScimGroupsService),
];

interface Resource {
  readonly meta: { readonly location: string };
}

interface Resources<Wanted> {
  list(page: ScimPage, withMembers: boolean): Promise<{ total: number; resources: object[] }>;
  show(id: string): Promise<Resource>;
  create(input: Wanted): Promise<Resource>;
  replace(id: string, input: Wanted): Promise<Resource>;
  patch(id: string, operations: PatchInput): Promise<Resource>;
  remove(id: string): Promise<void>;
}

function controllerOf<Wanted>(
  path: string,
  wanted: z.ZodType<Wanted>,
  service: Type<Resources<Wanted>>,
): Type {
  @Controller(`scim/v2/${path}`)
  @UseGuards(ScimGuard)
  @UseFilters(ScimErrorFilter)
  class ScimResourcesController {
    constructor(@Inject(service) private readonly resources: Resources<Wanted>) {}

    @Get()
    @InTurn()
    @Header('Content-Type', SCIM_MEDIA_TYPE)
    async list(@Input(ListInput) input: ListInput) {
      const withMembers = 'members' in withAttributes({ members: [] }, input);
      const { total, resources } = await this.resources.list(input, withMembers);
      const shown = resources.map((resource) => withAttributes(resource, input));
      return toListResponse(shown, { total, startIndex: input.startIndex });
    }

    @Get(':id')
    @InTurn()
    @Header('Content-Type', SCIM_MEDIA_TYPE)
    async show(@Param('id') id: string, @Input(ShownAttributes) shown: ShownAttributes) {
      return withAttributes(await this.resources.show(id), shown);
    }

    @Post()
    @Header('Content-Type', SCIM_MEDIA_TYPE)
    async create(@FormInput(wanted) input: Wanted, @Res({ passthrough: true }) response: Response) {
      const resource = await this.resources.create(input);
      response.setHeader('Location', resource.meta.location);
      return resource;
    }

    @Put(':id')
    @WorksOnFullDisk()
    @Header('Content-Type', SCIM_MEDIA_TYPE)
    async replace(@Param('id') id: string, @FormInput(wanted) input: Wanted) {
      return this.resources.replace(id, input);
    }

    @Patch(':id')
    @WorksOnFullDisk()
    @Header('Content-Type', SCIM_MEDIA_TYPE)
    async patch(@Param('id') id: string, @FormInput(PatchInput) input: PatchInput) {
      return this.resources.patch(id, input);
    }

    @Delete(':id')
    @HttpCode(204)
    async remove(@Param('id') id: string): Promise<void> {
      await this.resources.remove(id);
    }
  }
  // Logs and tests know a controller by the name of its class.
  Object.defineProperty(ScimResourcesController, 'name', { value: `Scim${path}Controller` });
  return ScimResourcesController;
}

/** Comparison in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function typeOf(error: unknown, status: number): ScimType | undefined {
  if (error instanceof ScimRefusal) {
    return error.scimType;
  }
  return error instanceof InvalidInput || status === 400 ? 'invalidValue' : undefined;
}
