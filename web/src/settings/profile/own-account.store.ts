import { defineStore } from 'pinia';
import { ref } from 'vue';
import { request, requestOcs } from '../../host/http.js';
import { addressOf, page, showDisplayName } from '../../host/page-context.js';

interface UserJson {
  readonly displayname: string;
  readonly email: string | null;
  readonly emailConfirmed: boolean;
}

const AVATAR_PIXELS = 256;

/** The user's own account. */
export const useOwnAccount = defineStore('own-account', () => {
  const displayName = ref(page.displayName);
  const email = ref('');
  const isEmailConfirmed = ref(true);
  const picture = usePicture();

  async function load(): Promise<void> {
    const user = await requestOcs<UserJson>('/cloud/user');
    displayName.value = user.displayname;
    email.value = user.email ?? '';
    isEmailConfirmed.value = user.email === null || user.emailConfirmed;
    await picture.load();
  }

  async function rename(wanted: string): Promise<void> {
    await change('displayname', wanted);
    displayName.value = wanted.trim();
    showDisplayName(displayName.value);
    picture.renew();
  }

  /** @param password the user's, if links for a new password are sent to the address */
  async function changeEmail(wanted: string, password: string): Promise<void> {
    await change('email', wanted, password);
    email.value = wanted.trim();
    isEmailConfirmed.value = password !== '' || !page.sendsMail;
  }

  const { hasPicture, choosePicture, removePicture, pictureAddress } = picture;
  return {
    displayName,
    email,
    isEmailConfirmed,
    hasPicture,
    load,
    rename,
    changeEmail,
    choosePicture,
    removePicture,
    pictureAddress,
  };
});

function usePicture() {
  /** Part of the picture's address, so that a new picture is not served from the cache. */
  const version = ref(0);
  /** Whether the picture was chosen; otherwise it is drawn from the name. */
  const hasPicture = ref(false);
  const renew = () => (version.value += 1);

  async function load(): Promise<void> {
    const { headers } = await request(pathOfPicture(version.value), { method: 'HEAD' });
    hasPicture.value = headers.get('X-NC-IsCustomAvatar') === '1';
  }

  /** @param picture JPEG, PNG or WebP */
  async function choosePicture(picture: File): Promise<void> {
    const headers = { 'Content-Type': picture.type };
    await request('/avatar', { method: 'PUT', body: picture, headers });
    hasPicture.value = true;
    renew();
  }

  async function removePicture(): Promise<void> {
    await request('/avatar', { method: 'DELETE' });
    hasPicture.value = false;
    renew();
  }

  const pictureAddress = () => addressOf(pathOfPicture(version.value));

  return { hasPicture, load, renew, choosePicture, removePicture, pictureAddress };
}

function pathOfPicture(version: number): string {
  const query = version === 0 ? '' : `?v=${version}`;
  return `/avatar/${encodeURIComponent(page.userId)}/${AVATAR_PIXELS}${query}`;
}

async function change(key: string, value: string, password = ''): Promise<void> {
  await requestOcs(`/cloud/users/${encodeURIComponent(page.userId)}`, {
    method: 'PUT',
    json: { key, value, ...(password !== '' && { password }) },
  });
}

export async function changePassword(oldPassword: string, newPassword: string): Promise<void> {
  await requestOcs('/core/password', { method: 'PUT', json: { oldPassword, newPassword } });
}
