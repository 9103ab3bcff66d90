/** Puts text on the clipboard, also on a page without a secure context. False = it could not be, and the text has to be selected by hand. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByEvent(text);
  }
}

/** The old way: the browser asks what is to be copied, and is told. Nothing is put into the page for it. */
function copyByEvent(text: string): boolean {
  let told = false;
  const tell = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
    told = event.clipboardData !== null;
  };
  document.addEventListener('copy', tell, true);
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a secure context
    return document.execCommand('copy') && told;
  } catch {
    return false;
  } finally {
    document.removeEventListener('copy', tell, true);
  }
}
