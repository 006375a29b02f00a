/** How orval's client sends: the address and the key come with each call's options. */
export interface Options extends RequestInit {
  base?: string;
}

export async function send<T>(path: string, {base, ...options}: Options): Promise<T> {
  const response = await fetch(base + path, options);
  return {status: response.status, headers: response.headers, data: await response.json()} as T;
}
