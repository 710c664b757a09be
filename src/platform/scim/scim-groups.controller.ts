import {
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Patch,
  Post,
  Put,
  Res,
  UseFilters,
  UseGuards,
} from '@nestjs/common';
import type { Response } from 'express';
import type { z } from 'zod';
import { FormInput, Input } from '../../common/http/input.decorator.js';
import { ScimErrorFilter } from './scim-error.filter.js';
import { ScimGuard } from './scim.guard.js';
import { ListInput, ShownAttributes } from './scim.input.js';
import { PatchInput } from './scim-patch.js';
import { GroupInput } from './scim-resources.js';
import { ScimGroupsService } from './scim-groups.service.js';
import { SCIM_MEDIA_TYPE, toListResponse, withAttributes } from './scim.wire.js';

/** Groups for provisioning services. @see RFC 7644 */
@Controller('scim/v2/Groups')
@UseGuards(ScimGuard)
@UseFilters(ScimErrorFilter)
export class ScimGroupsController {
  constructor(private readonly groups: ScimGroupsService) {}

  @Get()
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async list(@Input(ListInput) input: z.output<typeof ListInput>) {
    const withMembers = 'members' in withAttributes({ members: [] }, input);
    const { total, resources } = await this.groups.list(input, withMembers);
    const shown = resources.map((resource) => withAttributes(resource, input));
    return toListResponse(shown, { total, startIndex: input.startIndex });
  }

  @Get(':id')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async show(
    @Param('id') id: string,
    @Input(ShownAttributes) shown: z.output<typeof ShownAttributes>,
  ) {
    return withAttributes(await this.groups.show(id), shown);
  }

  @Post()
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async create(
    @FormInput(GroupInput) input: GroupInput,
    @Res({ passthrough: true }) response: Response,
  ) {
    const resource = await this.groups.create(input);
    response.setHeader('Location', resource.meta.location);
    return resource;
  }

  @Put(':id')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async replace(@Param('id') id: string, @FormInput(GroupInput) input: GroupInput) {
    return this.groups.replace(id, input);
  }

  @Patch(':id')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async patch(@Param('id') id: string, @FormInput(PatchInput) input: PatchInput) {
    return this.groups.patch(id, input);
  }

  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id') id: string): Promise<void> {
    await this.groups.remove(id);
  }
}
