import { GROUP_SCHEMA, USER_SCHEMA } from './scim-resources.js';
// Documents for the discovery of supported features. RFC 7643 sections 5 to 7.
import { MOST_RESULTS } from './scim.wire.js';

export const SERVICE_PROVIDER_CONFIG = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MOST_RESULTS },
  changePassword: { supported: true },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token of GATEFOLD_SCIM_TOKEN.',
      primary: true,
    },
  ],
};

export const RESOURCE_TYPES = [
  { id: 'User', endpoint: '/Users', schema: USER_SCHEMA, description: 'An account' },
  { id: 'Group', endpoint: '/Groups', schema: GROUP_SCHEMA, description: 'A group of accounts' },
].map((type) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  name: type.id,
  ...type,
}));

interface Attribute {
  readonly name: string;
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference';
  readonly description: string;
  readonly required?: boolean;
  readonly multiValued?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readWrite' | 'readOnly' | 'immutable' | 'writeOnly';
  readonly uniqueness?: 'none' | 'server';
  readonly returned?: 'default' | 'never';
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
}

function attribute({ subAttributes, ...given }: Attribute): object {
  return {
    type: 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...given,
    ...(subAttributes && { subAttributes: subAttributes.map(attribute) }),
  };
}

const EXTERNAL_ID: Attribute = {
  name: 'externalId',
  description: 'What the provisioning service calls it.',
  caseExact: true,
};

const references = (
  name: string,
  to: 'User' | 'Group',
  mutability: 'readOnly' | 'readWrite',
  description: string,
): Attribute => ({
  name,
  type: 'complex',
  multiValued: true,
  mutability,
  description,
  subAttributes: [
    { name: 'value', description: 'The id.', mutability: 'immutable' },
    { name: 'display', description: 'The name.', mutability: 'readOnly' },
    {
      name: '$ref',
      type: 'reference',
      referenceTypes: [to],
      description: 'The address.',
      mutability: 'readOnly',
    },
  ],
});

const USER_ATTRIBUTES: readonly Attribute[] = [
  {
    name: 'userName',
    description: '1 to 64 letters, digits or _ . @ -; cannot be changed.',
    required: true,
    uniqueness: 'server',
    mutability: 'immutable',
  },
  EXTERNAL_ID,
  { name: 'displayName', description: 'The name that people see.' },
  {
    name: 'name',
    type: 'complex',
    description: 'The parts of the name.',
    subAttributes: [
      { name: 'formatted', description: 'The display name, unless that is given.' },
      { name: 'givenName', description: 'The given name.' },
      { name: 'familyName', description: 'The family name.' },
    ],
  },
  {
    name: 'emails',
    type: 'complex',
    multiValued: true,
    description: 'The primary address is kept.',
    subAttributes: [
      { name: 'value', description: 'The address.' },
      { name: 'type', description: 'Always work.', mutability: 'readOnly' },
      { name: 'primary', type: 'boolean', description: 'Whether it is the one to use.' },
    ],
  },
  { name: 'active', type: 'boolean', description: 'Whether the user may log in.' },
  {
    name: 'password',
    description: 'Not for administrators.',
    mutability: 'writeOnly',
    returned: 'never',
  },
  references('groups', 'Group', 'readOnly', 'The groups that SCIM manages.'),
];

const GROUP_ATTRIBUTES: readonly Attribute[] = [
  {
    name: 'displayName',
    description: '1 to 64 characters without slashes.',
    required: true,
    uniqueness: 'server',
  },
  EXTERNAL_ID,
  references('members', 'User', 'readWrite', 'Users that SCIM manages.'),
];

export const SCHEMAS = [
  { id: USER_SCHEMA, name: 'User', description: 'An account', attributes: USER_ATTRIBUTES },
  { id: GROUP_SCHEMA, name: 'Group', description: 'A group', attributes: GROUP_ATTRIBUTES },
].map(({ attributes, ...schema }) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  ...schema,
  attributes: attributes.map(attribute),
}));
