/** The French texts of error details; `error-texts.ts` has the English ones. */
/* eslint no-irregular-whitespace: ['error', { skipStrings: true, skipTemplates: true }] -- French sets a space that does not break before : ; ? ! */
import type { ErrorTexts } from './error-texts.js';

export const errorsFr: ErrorTexts = {
  code: 'Code',
  status: 'Statut HTTP',
  errorType: 'Type d’erreur',
  said: 'Message du serveur',
  check: 'Vérifier la configuration',
  checking: 'Vérification…',
  asked: 'Adresse :',
  feedback: 'Signaler un problème',
  findings: {
    ok: () => [
      'Le point de terminaison fonctionne et accepte les requêtes de cette page.',
      'L’erreur était passagère, ou ne survient qu’avec un message complet : réessayez.',
    ],
    'no-endpoint': () => ['Aucun point de terminaison n’est défini.', 'Pour le responsable du site : définissez l’attribut « endpoint ».'],
    'bad-url': () => [
      'L’adresse du point de terminaison n’est pas valide.',
      'Elle doit commencer par https:// ou http://, ou être un chemin de ce site.',
    ],
    'on-device': () => [
      'Les réponses viennent du modèle du navigateur, il n’y a pas de point de terminaison à vérifier.',
      'Mettez le navigateur à jour, ou vérifiez qu’il a téléchargé son modèle.',
    ],
    'mixed-content': () => [
      'Cette page est en https, le point de terminaison en http : le navigateur bloque cela.',
      'Le point de terminaison doit passer en https.',
    ],
    offline: () => ['Le navigateur est hors ligne.', 'Connectez-vous à un réseau ; les messages en attente seront alors envoyés.'],
    'local-network': () => [
      'Le point de terminaison est sur cet ordinateur ou dans ce réseau, et le navigateur n’y laisse pas accéder cette page.',
      'Autorisez l’accès au réseau local dans les paramètres du site, démarrez le serveur et configurez-le pour autoriser ce site (OLLAMA_ORIGINS pour Ollama).',
    ],
    csp: () => [
      'La Content-Security-Policy de cette page bloque les requêtes au point de terminaison.',
      'Ajoutez l’origine du point de terminaison à son connect-src.',
    ],
    unreachable: () => [
      'Aucun serveur ne répond à cette adresse.',
      'Vérifiez qu’elle est bien écrite, que le serveur tourne, que son nom se résout et que son certificat est valide.',
    ],
    timeout: () => [
      'Le serveur a reçu la requête mais n’a pas répondu à temps.',
      'Il est peut-être surchargé, ou un proxy retarde ses réponses.',
    ],
    cors: ({ origin = '' }) => [
      'Un serveur répond, mais ne laisse pas ce site lire ses réponses (CORS).',
      `Il doit envoyer Access-Control-Allow-Origin: ${origin} (le relais de tool-chat le fait pour les origines de ALLOWED_ORIGINS).`,
    ],
    'cors-headers': ({ origin = '' }) => [
      'Le serveur laisse ce site lire ses réponses, mais pas envoyer les en-têtes d’une requête de chat (CORS).',
      `À la requête préliminaire de ${origin}, il doit répondre par Access-Control-Allow-Headers: content-type et les en-têtes que vous définissez.`,
    ],
    auth: ({ status = 401 }) => [
      `Le point de terminaison exige une authentification (${status}).`,
      'Connectez-vous, ou mettez une clé valide dans « headers ». Les clés doivent être dans un relais, pas dans une page.',
    ],
    forbidden: ({ status = 403, origin = '' }) => [
      `Le point de terminaison a refusé ce site ou cet utilisateur (${status}).`,
      `Si c’est le relais de tool-chat, ajoutez ${origin} à ses origines autorisées (ALLOWED_ORIGINS), ou indiquez-la comme PUBLIC_ORIGIN. Sinon, connectez-vous avec un compte autorisé.`,
    ],
    'not-found': ({ status = 404 }) => [
      `Un serveur répond, mais pas à ce chemin (${status}).`,
      'Comparez le chemin avec la documentation du service.',
    ],
    redirect: () => [
      'Le serveur redirige les requêtes vers une autre adresse. La redirection n’est pas suivie, pour que la conversation reste ici.',
      'Mettez l’adresse finale dans « endpoint ».',
    ],
    'wrong-answer': () => [
      'À cette adresse se trouve une page web, pas un point de terminaison.',
      'Comparez le chemin avec la documentation du service ; il faut peut-être d’abord se connecter.',
    ],
    'rate-limit': () => ['Le point de terminaison fonctionne, mais a reçu trop de requêtes.', 'Réessayez plus tard.'],
    'too-long': ({ window }) => [
      `Le point de terminaison fonctionne, mais la dernière requête était plus longue que ce que son modèle lit à la fois${window === undefined ? '' : ` (${String(window)} jetons)`}.`,
      'Commencez une nouvelle conversation, déclarez moins d’outils, ou donnez au modèle une fenêtre de contexte plus grande (-c pour llama.cpp, num_ctx pour Ollama).',
    ],
    server: ({ status = 500 }) => [
      `Le point de terminaison répond par une erreur (${status}).`,
      'La cause se trouve dans le journal du serveur.',
    ],
    headers: () => [
      'La fonction « headers » de la page a échoué, rien n’a donc été envoyé.',
      'La cause se trouve dans la console du navigateur.',
    ],
  },
};
