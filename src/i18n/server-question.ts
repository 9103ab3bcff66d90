/** Words of the dialog in which an MCP server asks the user. They load with the dialog. */

const en = {
  asks: (host: string) => `${host} asks`,
  asksUrl: (host: string, at: string) => `${host} wants you to open a page of ${at}`,
  callsItself: 'Name given by the server:',
  says: 'Message from the server:',
  noSecrets: 'Your answer is sent to this server. Do not enter passwords or keys.',
  send: 'Send',
  open: 'Open this page',
  dontSend: 'Don’t answer',
  stop: 'Stop asking',
  atLeast: (count: number) => `Choose at least ${count}`,
  atMost: (count: number) => `Choose at most ${count}`,
  hidden: 'The page hides this question, so it cannot be answered here',
  framed: 'This page is framed by another site, so nothing can be approved here',
};

export type ServerQuestionWords = typeof en;

const LTR = (text: string) => `\u2068${text}\u2069`;

const languages: Readonly<Record<string, ServerQuestionWords>> = {
  en,
  zh: {
    asks: (host) => `${host} 的提问`,
    asksUrl: (host, at) => `${host} 希望你打开 ${at} 的页面`,
    callsItself: '服务器自称：',
    says: '来自服务器的消息：',
    noSecrets: '你的回答会发送给该服务器。请勿填写密码或密钥。',
    send: '发送',
    open: '打开此页面',
    dontSend: '不回答',
    stop: '不再询问',
    atLeast: (count) => `请至少选择 ${count} 项`,
    atMost: (count) => `最多选择 ${count} 项`,
    hidden: '页面遮住了这个问题，无法在此回答',
    framed: '本页面被其他网站嵌入，无法在此批准',
  },
  ar: {
    asks: (host) => `سؤال من ${LTR(host)}`,
    asksUrl: (host, at) => `يطلب ${LTR(host)} أن تفتح صفحة من ${LTR(at)}`,
    callsItself: 'الاسم الذي يذكره الخادم:',
    says: 'رسالة من الخادم:',
    noSecrets: 'تُرسَل إجابتك إلى هذا الخادم. لا تُدخل كلمات مرور أو مفاتيح.',
    send: 'إرسال',
    open: 'فتح هذه الصفحة',
    dontSend: 'عدم الإجابة',
    stop: 'إيقاف الأسئلة',
    atLeast: (count) => `اختر ${count} على الأقل`,
    atMost: (count) => `اختر ${count} على الأكثر`,
    hidden: 'تحجب الصفحة هذا السؤال، فلا يمكن الإجابة عنه هنا',
    framed: 'هذه الصفحة معروضة داخل موقع آخر، فلا يمكن السماح بشيء هنا',
  },
  de: {
    asks: (host) => `${host} fragt`,
    asksUrl: (host, at) => `${host} möchte, dass Sie eine Seite von ${at} öffnen`,
    callsItself: 'Der Server nennt sich:',
    says: 'Nachricht des Servers:',
    noSecrets: 'Ihre Antwort wird an diesen Server gesendet. Geben Sie keine Passwörter oder Schlüssel ein.',
    send: 'Senden',
    open: 'Diese Seite öffnen',
    dontSend: 'Nicht antworten',
    stop: 'Nicht mehr fragen',
    atLeast: (count) => `Wählen Sie mindestens ${count} aus`,
    atMost: (count) => `Wählen Sie höchstens ${count} aus`,
    hidden: 'Die Seite verdeckt diese Frage, deshalb lässt sie sich hier nicht beantworten',
    framed: 'Diese Seite steckt in einer fremden, deshalb lässt sich hier nichts erlauben',
  },
  es: {
    asks: (host) => `${host} pregunta`,
    asksUrl: (host, at) => `${host} quiere que abra una página de ${at}`,
    callsItself: 'Nombre que da el servidor:',
    says: 'Mensaje del servidor:',
    noSecrets: 'Su respuesta se envía a este servidor. No escriba contraseñas ni claves.',
    send: 'Enviar',
    open: 'Abrir esta página',
    dontSend: 'No responder',
    stop: 'No preguntar más',
    atLeast: (count) => `Elija al menos ${count}`,
    atMost: (count) => `Elija ${count} como máximo`,
    hidden: 'La página tapa esta pregunta, así que no se puede responder aquí',
    framed: 'Esta página está dentro de otro sitio, así que aquí no se puede permitir nada',
  },
  fr: {
    asks: (host) => `Question de ${host}`,
    asksUrl: (host, at) => `${host} vous demande d’ouvrir une page de ${at}`,
    callsItself: 'Nom donné par le serveur :',
    says: 'Message du serveur :',
    noSecrets: 'Votre réponse est envoyée à ce serveur. N’indiquez ni mot de passe ni clé.',
    send: 'Envoyer',
    open: 'Ouvrir cette page',
    dontSend: 'Ne pas répondre',
    stop: 'Ne plus demander',
    atLeast: (count) => `Choisissez-en au moins ${count}`,
    atMost: (count) => `Choisissez-en ${count} au maximum`,
    hidden: 'La page masque cette question, on ne peut donc pas y répondre ici',
    framed: 'Cette page est affichée dans un autre site, rien ne peut donc être autorisé ici',
  },
  ja: {
    asks: (host) => `${host} からの質問`,
    asksUrl: (host, at) => `${host} が ${at} のページを開くよう求めています`,
    callsItself: 'サーバーが名乗る名前：',
    says: 'サーバーからのメッセージ：',
    noSecrets: '回答はこのサーバーに送信されます。パスワードやキーは入力しないでください。',
    send: '送信',
    open: 'このページを開く',
    dontSend: '回答しない',
    stop: '今後は質問しない',
    atLeast: (count) => `${count} 個以上選択してください`,
    atMost: (count) => `選択できるのは ${count} 個までです`,
    hidden: 'ページがこの質問を隠しているため、ここでは答えられません',
    framed: 'このページは別のサイトに埋め込まれているため、ここでは何も許可できません',
  },
};

export const questionLanguages: readonly string[] = Object.keys(languages);

/** Without a known language: that of the page, then English. */
export function serverQuestionWords(lang?: string): ServerQuestionWords {
  const asked = (lang || document.documentElement.lang).toLowerCase().split('-')[0] ?? '';
  return (Object.hasOwn(languages, asked) ? languages[asked] : undefined) ?? en;
}
