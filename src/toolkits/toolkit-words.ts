/** What the tools of this floor say to people. A tool is told no language, so who makes it says which; loaded with the toolkit, by nobody else. */

const en = {
  noPlace: (name: string) => `“${name}” cannot stand in an address like this. Give its plain value, without dots alone.`,
  noHeader: (name: string) => `“${name}” cannot be sent: it holds line breaks or characters that no header may hold.`,
  tooLarge: (limit: string) => `The service's answer is larger than ${limit}. Ask for less, with filters or a smaller page.`,
  moved: 'The service could not be reached, or sends on to another address, which is not followed. Check the connection and the address.',
  noJson: 'The service said that it answers in JSON, and did not.',
  noAuth: 'You could not be signed in to the service. Sign in again and try once more.',
  cut: 'The connection to the service broke while it worked: it may have happened. Check before you try again.',
  refused: 'The service refused, and did not say why.',
  unknownAnswer: 'The service answered in a way that is not understood.',
  toolOf: (server: string) => `Offered by ${server}`,
  resource: (server: string) => `Read from ${server}`,
  formGone: 'The form is no longer on this page. Nothing was sent.',
  fieldRefused: (name: string) => `The field “${name}” does not take this value. Nothing was sent.`,
  formSent: 'The form was sent',
  formDropped: 'The form was not sent',
  dontSendForm: 'Don’t send',
  send: 'Send',
  dontSend: 'Don’t answer',
  cancel: 'Cancel',
  open: 'Open this page',
  asks: (server: string) => `${server} asks`,
  asksUrl: (server: string, host: string) => `${server} wants you to open a page of ${host}`,
  noSecrets: 'Whatever you write here goes to this service. Never give it passwords or keys.',
  more: (count: number) => `… and ${count} more`,
  done: 'Done',
  noContent: (type: string) => `The service answered with a file (${type}), which is not shown here.`,
  signIn: (server: string, at: string) =>
    `${server} has tools for the assistant and wants you to sign in${at === server ? '' : ` at ${at}`} first.`,
  signInButton: 'Sign in',
  signInAgain: 'Open the window again',
  signInWaits: (server: string) => `Sign in to ${server} in the window that has opened.`,
  signInBlocked: (server: string) =>
    `Your browser has blocked the window for signing in to ${server}. Allow this page to open windows, then press the button again.`,
  signInTrouble: (server: string, why: string) => `You are not signed in to ${server}: ${why}`,
  signInTroubles: {
    noWay: 'it does not say how to sign in from a page.',
    noClient: 'it does not know this page, and pages cannot register there by themselves. The page needs a `clientId`.',
    noPkce: 'its way of signing in is not safe for pages (no PKCE).',
    unreachable: 'the service for signing in cannot be reached, or does not allow this page. Check the connection and try again.',
    refused: 'it refused. Try again.',
    insecure: 'this page is not served by HTTPS.',
    tooLate: 'it took too long. Try again.',
  },
  notNow: 'Not now',
};

type Words = typeof en;

const zh: Words = {
  noPlace: (name) => `“${name}”不能这样写进地址。请给出普通的值，不能只有点号。`,
  noHeader: (name) => `“${name}”无法发送：其中有换行或请求头不允许的字符。`,
  tooLarge: (limit) => `服务返回的内容超过 ${limit}。请加条件或减小每页数量后再试。`,
  moved: '无法连接服务，或者它转到了另一个地址（不会跟随）。请检查网络和地址。',
  noJson: '服务声明返回 JSON，但内容不是 JSON。',
  noAuth: '无法登录该服务。请重新登录后再试。',
  cut: '执行过程中与服务的连接断开：操作可能已经发生。请先确认再重试。',
  refused: '服务拒绝了请求，没有说明原因。',
  unknownAnswer: '无法识别服务的回答。',
  toolOf: (server) => `由 ${server} 提供`,
  resource: (server) => `读取 ${server}`,
  formGone: '表单已不在此页面上。没有发送任何内容。',
  fieldRefused: (name) => `“${name}”不接受这个值。没有发送任何内容。`,
  formSent: '表单已发送',
  formDropped: '表单没有发送',
  dontSendForm: '不发送',
  send: '发送',
  dontSend: '不回答',
  cancel: '取消',
  open: '打开此页面',
  asks: (server) => `${server} 的提问`,
  asksUrl: (server, host) => `${server} 希望你打开 ${host} 的页面`,
  noSecrets: '这里填写的内容会发送给该服务。请勿填写密码或密钥。',
  more: (count) => `……还有 ${count} 项`,
  done: '已完成',
  noContent: (type) => `服务返回的是文件（${type}），这里不显示。`,
  signIn: (server, at) => `${server} 可以为助手提供工具，需要你先${at === server ? '' : `在 ${at} `}登录。`,
  signInButton: '登录',
  signInAgain: '重新打开窗口',
  signInWaits: (server) => `请在打开的窗口中登录 ${server}。`,
  signInBlocked: (server) => `浏览器阻止了登录 ${server} 的窗口。请允许此页面打开窗口，然后再按一次按钮。`,
  signInTrouble: (server, why) => `未能登录 ${server}：${why}`,
  signInTroubles: {
    noWay: '它没有说明如何从网页登录。',
    noClient: '它不认识此页面，也不允许页面自行注册。页面需要设置 `clientId`。',
    noPkce: '它的登录方式对网页不安全（没有 PKCE）。',
    unreachable: '无法连接登录服务，或它不允许此页面访问。请检查网络后重试。',
    refused: '它拒绝了。请重试。',
    insecure: '此页面没有使用 HTTPS。',
    tooLate: '等待时间过长。请重试。',
  },
  notNow: '以后再说',
};

/** By `lang`, else by the language of the page, else English. */
export function wordsFor(lang?: string): Words {
  const page = (globalThis as { document?: { documentElement?: { lang?: string } } }).document?.documentElement?.lang;
  return (lang ?? page ?? '').toLowerCase().startsWith('zh') ? zh : en;
}

export type { Words };
