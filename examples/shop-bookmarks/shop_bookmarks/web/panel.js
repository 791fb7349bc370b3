const PATH = '/v1/contexts/{context}/bookmarks';

export async function activate({ element, call, signal }) {
  element.innerHTML = `
    <form class="jp-Colophon-actions">
      <label>Name <input name="name" required></label>
      <label>URL <input name="url" type="url" required></label>
      <button class="jp-Colophon-button jp-mod-primary">Save</button>
    </form>
    <p role="status" class="jp-Colophon-note"></p>
    <ul></ul>`;
  const [form, status, list] = element.children;

  async function refresh() {
    const { bookmarks } = await call('GET', PATH);
    status.textContent = `Bookmarks: ${bookmarks.length}`;
    list.replaceChildren(
      ...bookmarks.map(({ name, url }) => {
        const item = document.createElement('li');
        item.textContent = `${name}: ${url}`;
        return item;
      })
    );
  }

  async function save(event) {
    event.preventDefault();
    const { name, url } = Object.fromEntries(new FormData(form));
    try {
      await call('PUT', `${PATH}/${encodeURIComponent(name)}`, { url });
      form.reset();
      await refresh();
    } catch (error) {
      status.textContent = error.message;
    }
  }

  form.addEventListener('submit', save, { signal });
  await refresh();
}
