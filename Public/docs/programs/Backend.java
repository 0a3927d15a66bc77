// A back end that sends a one-time code with UPMC and takes its webhooks. Java 17, nothing else.
//
//     PUSH_APP_ID=com.example.bank PUSH_API_KEY=… PUSH_SERVER=https://push.example.com java Backend.java send kim01 123456
//     PUSH_WEBHOOK_SECRET=whsec_… java Backend.java listen 8090

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Backend {
  // A code that comes later than this is of no use.
  static final int SECONDS = 60;

  static final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  // Sends a code. Returns the message's number; throws when it was refused, or when the time is up.
  static String send(String person, String code) throws Exception {
    String body = """
        {"appId":%s,"audience":{"clientUids":[%s]},"lane":"urgent","expiresIn":"PT%dS",
         "alert":{"title":"Your code","body":%s}}""".formatted(
        quoted(System.getenv("PUSH_APP_ID")), quoted(person), SECONDS,
        quoted(code + " is your code. Never tell it to anyone."));
    // One key for one code: however often the request is made, one push is sent. Keep it with the transaction.
    String key = UUID.randomUUID().toString();
    Instant deadline = Instant.now().plusSeconds(SECONDS);
    double pause = 0.2;
    while (true) {
      double wait = 0;
      String reason;
      try {
        HttpResponse<String> answer = post("/v1/admin/messages", body, key);
        if (answer.statusCode() == 202) return member(answer.body(), "seqno");
        reason = answer.statusCode() + ": " + member(answer.body(), "type") + ": " + member(answer.body(), "detail");
        // Too much at once, or the server cannot at the moment. All else stays wrong when it is asked again.
        if (answer.statusCode() != 429 && answer.statusCode() < 500) throw new IllegalStateException(reason);
        wait = answer.headers().firstValue("Retry-After").map(Double::parseDouble).orElse(0.0);
      } catch (IOException error) { // No connection, or none that lasted: perhaps it was sent. The key makes that harmless.
        reason = error.toString();
      }
      wait = Math.max(wait, pause * (0.5 + Math.random() / 2));
      if (Instant.now().plusMillis((long) (wait * 1000)).isAfter(deadline)) {
        throw new IllegalStateException("not sent within " + SECONDS + " s: " + reason);
      }
      Thread.sleep((long) (wait * 1000));
      pause = Math.min(pause * 2, 5);
    }
  }

  static HttpResponse<String> post(String path, String body, String key) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("PUSH_SERVER") + path))
        .timeout(Duration.ofSeconds(5))
        .header("Authorization", "Bearer " + System.getenv("PUSH_API_KEY"))
        .header("Content-Type", "application/json")
        .header("Idempotency-Key", key)
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  // A text as JSON. Java has no JSON of its own; in an application use the one that is there.
  static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (char letter : text.toCharArray()) {
      if (letter == '"' || letter == '\\') json.append('\\').append(letter);
      else if (letter < 0x20) json.append("\\u%04x".formatted((int) letter));
      else json.append(letter);
    }
    return json.append('"').toString();
  }

  // A member of a flat answer that is a text.
  static String member(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
    return found.find() ? found.group(1) : "";
  }

  // Whether UPMC has signed the request, and lately (standardwebhooks.com).
  static boolean isGenuine(String id, String at, String signatures, byte[] body, String secret) throws Exception {
    if (!at.matches("[0-9]{1,12}") || Math.abs(Instant.now().getEpochSecond() - Long.parseLong(at)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
    mac.update((id + "." + at + ".").getBytes(StandardCharsets.UTF_8));
    byte[] wanted = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    boolean isGenuine = false;
    for (String one : signatures.split(" ")) {
      isGenuine |= MessageDigest.isEqual(wanted, one.getBytes(StandardCharsets.UTF_8));
    }
    return isGenuine;
  }

  // Events may come twice. Keep the ids of a day where all your servers see them.
  static final Set<String> known = ConcurrentHashMap.newKeySet();

  static void receive(HttpExchange exchange) throws IOException {
    int status = 401;
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      String id = header(exchange, "webhook-id");
      String secret = System.getenv("PUSH_WEBHOOK_SECRET");
      if (isGenuine(id, header(exchange, "webhook-timestamp"), header(exchange, "webhook-signature"), body, secret)) {
        String event = new String(body, StandardCharsets.UTF_8);
        // What takes longer than ten seconds, do after the answer.
        if (known.add(id)) System.out.println(member(event, "kind") + " " + event);
        status = 204;
      }
      exchange.sendResponseHeaders(status, -1);
    } catch (IOException error) {
      throw error;
    } catch (Exception error) {
      throw new IOException(error);
    }
  }

  static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 3 && arguments[0].equals("send")) {
      System.out.println(send(arguments[1], arguments[2]));
    } else if (arguments.length == 2 && arguments[0].equals("listen")) {
      HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(arguments[1])), 0);
      server.setExecutor(Executors.newFixedThreadPool(8));
      server.createContext("/", Backend::receive);
      server.start();
      System.out.println("listening on " + server.getAddress().getPort());
    } else {
      System.err.println("send PERSON CODE, or listen PORT");
      System.exit(2);
    }
  }
}
