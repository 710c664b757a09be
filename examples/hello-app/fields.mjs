const CHOICES = [
  { name: 'Red', value: 'red' },
  { name: 'Green', value: 'green' },
];

/** One field of each type. */
export const EVERY_FIELD = [
  field('name', 'text', { placeholder: 'What you are called', default: '' }),
  field('password', 'password', { sensitive: true, default: '' }),
  field('mail', 'email', { placeholder: 'you@example.org', default: '' }),
  field('phone', 'tel', { placeholder: '+49 30 1234', default: '' }),
  field('page', 'url', { placeholder: 'https://example.org', default: '' }),
  field('cups', 'number', { default: 2 }),
  field('awake', 'checkbox', { label: 'I am awake', default: true }),
  field('colours', 'multi-checkbox', { options: CHOICES, default: { red: true, green: false } }),
  field('colour', 'radio', { options: CHOICES, default: 'red' }),
  field('size', 'select', { options: ['small', 'large'], default: 'small' }),
  field('toppings', 'multi-select', { options: ['nuts', 'cream'], default: ['nuts'] }),
];

function field(id, type, more) {
  return { id, title: `A field of type ${type}`, description: '', type, ...more };
}
