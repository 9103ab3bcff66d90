import 'tool-chat/themes/warm.css';

export const metadata = { title: 'Shop', icons: { icon: 'data:,' } };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
