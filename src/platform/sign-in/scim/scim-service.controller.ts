import { Controller, Get, Header, Param, UseFilters, UseGuards } from '@nestjs/common';
import { PublicAddress } from '../../../common/config/public-address.js';
import { InvalidScim } from './scim.errors.js';
import { ScimErrorFilter } from './scim-error.filter.js';
import { ScimGuard } from './scim.guard.js';
import { RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER_CONFIG } from './scim-schemas.js';
import { SCIM_MEDIA_TYPE, toListResponse } from './scim.wire.js';

/** What this service provider can do. @see RFC 7644 section 4 */
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
