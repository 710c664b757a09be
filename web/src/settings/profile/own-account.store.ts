import { defineStore } from 'pinia';
import { ref } from 'vue';
import { request, requestOcs } from '../../host/http.js';
import { page, showDisplayName } from '../../host/page-context.js';

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
  /** Part of the picture's address, so that a new picture is not served from the cache. */
  const pictureVersion = ref(0);

  /** Whether the picture was chosen; otherwise it is drawn from the name. */
  const hasPicture = ref(false);

  async function load(): Promise<void> {
    const user = await requestOcs<UserJson>('/cloud/user');
    displayName.value = user.displayname;
    email.value = user.email ?? '';
    isEmailConfirmed.value = user.email === null || user.emailConfirmed;
    const picture = await request(pictureAddress().slice(page.webRoot.length), { method: 'HEAD' });
    hasPicture.value = picture.headers.get('X-NC-IsCustomAvatar') === '1';
  }

  async function rename(wanted: string): Promise<void> {
    await change('displayname', wanted);
    displayName.value = wanted.trim();
    showDisplayName(displayName.value);
    pictureVersion.value += 1;
  }

  /** @param password the user's, if links for a new password are sent to the address */
  async function changeEmail(wanted: string, password: string): Promise<void> {
    await change('email', wanted, password);
    email.value = wanted.trim();
    isEmailConfirmed.value = password !== '' || !page.sendsMail;
  }

  async function change(key: string, value: string, password = ''): Promise<void> {
    await requestOcs(`/cloud/users/${encodeURIComponent(page.userId)}`, {
      method: 'PUT',
      json: { key, value, ...(password !== '' && { password }) },
    });
  }

  /** @param picture JPEG, PNG or WebP */
  async function choosePicture(picture: File): Promise<void> {
    const headers = { 'Content-Type': picture.type };
    await request('/avatar', { method: 'PUT', body: picture, headers });
    hasPicture.value = true;
    pictureVersion.value += 1;
  }

  async function removePicture(): Promise<void> {
    await request('/avatar', { method: 'DELETE' });
    hasPicture.value = false;
    pictureVersion.value += 1;
  }

  async function changePassword(oldPassword: string, newPassword: string): Promise<void> {
    await requestOcs('/core/password', { method: 'PUT', json: { oldPassword, newPassword } });
  }

  function pictureAddress(): string {
    const version = pictureVersion.value === 0 ? '' : `?v=${pictureVersion.value}`;
    const user = encodeURIComponent(page.userId);
    return `${page.webRoot}/avatar/${user}/${AVATAR_PIXELS}${version}`;
  }

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
    changePassword,
    pictureAddress,
  };
});
