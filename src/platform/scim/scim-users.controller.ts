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
import { UserInput } from './scim-resources.js';
import { ScimUsersService } from './scim-users.service.js';
import { SCIM_MEDIA_TYPE, toListResponse, withAttributes } from './scim.wire.js';

/** Accounts for provisioning services. @see RFC 7644 */
@Controller('scim/v2/Users')
@UseGuards(ScimGuard)
@UseFilters(ScimErrorFilter)
export class ScimUsersController {
  constructor(private readonly users: ScimUsersService) {}

  @Get()
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async list(@Input(ListInput) input: z.output<typeof ListInput>) {
    const { total, resources } = await this.users.list(input);
    const shown = resources.map((resource) => withAttributes(resource, input));
    return toListResponse(shown, { total, startIndex: input.startIndex });
  }

  @Get(':id')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async show(
    @Param('id') id: string,
    @Input(ShownAttributes) shown: z.output<typeof ShownAttributes>,
  ) {
    return withAttributes(await this.users.show(id), shown);
  }

  @Post()
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async create(
    @FormInput(UserInput) input: UserInput,
    @Res({ passthrough: true }) response: Response,
  ) {
    const resource = await this.users.create(input);
    response.setHeader('Location', resource.meta.location);
    return resource;
  }

  @Put(':id')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async replace(@Param('id') id: string, @FormInput(UserInput) input: UserInput) {
    return this.users.replace(id, input);
  }

  @Patch(':id')
  @Header('Content-Type', SCIM_MEDIA_TYPE)
  async patch(@Param('id') id: string, @FormInput(PatchInput) input: PatchInput) {
    return this.users.patch(id, input);
  }

  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id') id: string): Promise<void> {
    await this.users.remove(id);
  }
}
