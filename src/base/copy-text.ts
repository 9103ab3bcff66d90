/**
 * Puts text on the clipboard, also on a page without a secure context. Returns false if that failed, so that the text has to be selected by
 * hand.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByEvent(text);
  }
}

/** Uses the old `copy` event, in which the page provides the text. Adds nothing to the DOM. */
function copyByEvent(text: string): boolean {
  let isCopied = false;
  const onCopy = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
    isCopied = event.clipboardData !== null;
  };
  document.addEventListener('copy', onCopy, true);
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without a secure context
    return document.execCommand('copy') && isCopied;
  } catch {
    return false;
  } finally {
    document.removeEventListener('copy', onCopy, true);
  }
}
