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
} from '@nestjs/common';
import type { Response } from 'express';
import type { z } from 'zod';
import { WorksOnFullDisk } from '../../../common/disk/disk-reserve.interceptor.js';
import { FormInput, Input } from '../../../common/http/input.decorator.js';
import { ScimErrorFilter } from './scim-error.filter.js';
import { ScimGroupsService } from './scim-groups.service.js';
import { ScimGuard } from './scim.guard.js';
import { ListInput, ShownAttributes } from './scim.input.js';
import { PatchInput } from './scim-patch.js';
import { GroupInput, UserInput } from './scim-resources.js';
import { ScimUsersService } from './scim-users.service.js';
import type { ScimPage } from './scim.repository.js';
import { SCIM_MEDIA_TYPE, toListResponse, withAttributes } from './scim.wire.js';

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
    @Header('Content-Type', SCIM_MEDIA_TYPE)
    async list(@Input(ListInput) input: ListInput) {
      const withMembers = 'members' in withAttributes({ members: [] }, input);
      const { total, resources } = await this.resources.list(input, withMembers);
      const shown = resources.map((resource) => withAttributes(resource, input));
      return toListResponse(shown, { total, startIndex: input.startIndex });
    }

    @Get(':id')
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
