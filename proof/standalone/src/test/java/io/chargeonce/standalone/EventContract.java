// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * What strangers are promised about records: the AsyncAPI document and the schemas. A field or header that they do not name is a problem
 * here, although a reader must skip it.
 */
final class EventContract {

    private static final Path FOLDER = Repository.root().resolve("ingest-service/src/main/resources/io/chargeonce/ingest");
    private static final String HERE = "https://chargeonce.test/";
    private static final JsonMapper JSON = new JsonMapper();

    final JsonNode document;
    /** By their files' names. */
    final Map<String, JsonNode> schemas = new TreeMap<>();
    private final SchemaRegistry registry;

    EventContract() throws IOException {
        document = new YAMLMapper().readTree(Files.readString(FOLDER.resolve("asyncapi.yaml")));
        var texts = new HashMap<>(Map.of(HERE + "asyncapi", document.toString()));
        try (Stream<Path> files = Files.list(FOLDER.resolve("schemas"))) {
            for (Path file : files.toList()) {
                JsonNode schema = JSON.readTree(Files.readString(file));
                schemas.put(file.getFileName().toString(), schema);
                texts.put(HERE + "schemas/" + file.getFileName(), closed(schema).toString());
            }
        }
        registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12, builder -> builder.schemas(texts)
                .schemaRegistryConfig(SchemaRegistryConfig.builder().formatAssertionsEnabled(true).build()));
    }

    /** The same schema, but fields that it does not name are forbidden. */
    private static JsonNode closed(JsonNode schema) {
        var copy = (ObjectNode) schema.deepCopy();
        copy.remove("$id");
        close(copy);
        return copy;
    }

    private static void close(JsonNode schema) {
        if (schema instanceof ObjectNode object && object.path("properties").isObject()) {
            object.put("additionalProperties", false);
            object.path("properties").forEach(EventContract::close);
            close(object.path("properties").path("errors").path("items"));
        }
    }

    JsonNode at(String reference) {
        return document.at(reference.substring(1));
    }

    /** The addresses with each value of their parameters. */
    List<String> topics() {
        return document.path("channels").valueStream().flatMap(channel -> {
            String address = channel.path("address").asString();
            JsonNode tiers = channel.at("/parameters/tier/enum");
            return tiers.isArray() ? tiers.valueStream().map(tier -> address.replace("{tier}", tier.asString())) : Stream.of(address);
        }).toList();
    }

    /** The channel of that topic, whose name begins with {@code payments}. */
    Optional<JsonNode> channel(String topic) {
        return document.path("channels").valueStream()
                .filter(channel -> topic.matches(channel.path("address").asString().replace(".", "\\.").replace("{tier}", "[1-9]")))
                .findFirst();
    }

    /** The messages of a channel by their names. */
    Map<String, JsonNode> messages(JsonNode channel) {
        var messages = new TreeMap<String, JsonNode>();
        channel.path("messages").forEach(reference -> {
            JsonNode message = at(reference.path("$ref").asString());
            messages.put(message.path("name").asString(), message);
        });
        return messages;
    }

    /** What a record has that the documents do not say, or lacks that they do. */
    List<String> problems(String topic, byte[] key, byte[] value, Map<String, String> headers) {
        Optional<JsonNode> channel = channel(topic);
        if (channel.isEmpty()) {
            return List.of("no channel has the topic " + topic);
        }
        String name = headers.getOrDefault("ce_type", "dead-letter.left");
        JsonNode message = messages(channel.get()).get(name);
        if (message == null) {
            return List.of("a message '%s' is not on %s".formatted(name, topic));
        }
        var problems = new ArrayList<String>();
        String headersAre = message.path("headers").path("$ref").asString();
        headers.keySet().stream().filter(header -> at(headersAre).path("properties").path(header).isMissingNode())
                .forEach(header -> problems.add("the header " + header + " is not in the document"));
        problems.addAll(invalid("asyncapi" + headersAre, JSON.writeValueAsString(headers)));
        String keyIs = message.at("/bindings/kafka/key/$ref").asString();
        problems.addAll(invalid("asyncapi" + keyIs, JSON.writeValueAsString(new String(key, StandardCharsets.UTF_8))));
        String payload = message.path("payload").path("$ref").asString("");
        if (payload.isEmpty() || value == null) {
            return payload.isEmpty() == (value == null) ? problems : List.of(name + " has a value, or lacks one");
        }
        if (!schemas.get(payload.replace("schemas/", "")).path("$id").asString().equals(headers.get("ce_dataschema"))) {
            problems.add(name + " names the schema " + headers.get("ce_dataschema"));
        }
        problems.addAll(invalid(payload, new String(value, StandardCharsets.UTF_8)));
        return problems;
    }

    private List<String> invalid(String schema, String json) {
        return registry.getSchema(SchemaLocation.of(HERE + schema)).validate(json, InputFormat.JSON).stream()
                .map(problem -> schema + " " + problem + " in " + json).toList();
    }
}
