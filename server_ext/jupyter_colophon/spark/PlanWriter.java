package jupyter.colophon;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.VariableReference;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataType;
import scala.Option;
import scala.Product;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Writes Spark's plans as JSON for `plan_tree.py`, ten times as fast as `TreeNode.toJSON`, which uses reflection for each node.
 *
 * A tree is the list of its nodes in preorder, each with the number of its children; a field with other trees has such a list,
 * or a list of them. Of plain fields it writes only those that `plan_nodes.py` declares, which identify data and columns, and
 * contain no value of a query.
 * Spark's own compiler compiles it in the session that it reads (`plan_reader.py`), so it uses only Java that Janino supports.
 */
public final class PlanWriter {
    private HashSet fields = new HashSet();
    private final StringBuilder out = new StringBuilder();
    private final IdentityHashMap types = new IdentityHashMap();
    private int nodesLeft;
    private int maxListLength;
    private int nodesAndExpressionsLeft;

    /** Sets the plain fields to write, a comma-separated list. */
    public void setFields(String names) {
        fields = new HashSet(Arrays.asList((Object[]) names.split(",")));
    }

    /** Returns a complete plan; null if it has too many nodes, a too long list in a node, or too many nodes and expressions. */
    public String writeFull(LogicalPlan plan, int maxNodes, int maxListLength, int maxNodesAndExpressions) {
        PlanWriter writer = createWriter();
        writer.nodesLeft = maxNodes;
        writer.maxListLength = maxListLength;
        writer.nodesAndExpressionsLeft = maxNodesAndExpressions;
        try {
            writer.writeTree(plan);
        } catch (TooLarge tooLarge) {
            return null;
        }
        return writer.out.toString();
    }

    /** Returns a plan's root and its children, without the trees in their fields. */
    public String writeRoot(LogicalPlan plan) {
        PlanWriter writer = createWriter();
        writer.out.append('[');
        writer.writeHead(plan, plan.children().length());
        for (Iterator each = plan.children().iterator(); each.hasNext();) {
            writer.out.append(',');
            writer.writeHead((TreeNode) each.next(), 0);
        }
        return writer.out.append(']').toString();
    }

    private PlanWriter createWriter() {
        PlanWriter writer = new PlanWriter();
        writer.fields = fields;
        return writer;
    }

    private void writeTree(TreeNode root) {
        ArrayDeque waiting = new ArrayDeque();
        waiting.push(root);
        char separator = '[';
        while (!waiting.isEmpty()) {
            TreeNode node = (TreeNode) waiting.pop();
            count(node);
            Object[] children = toArray(node.children());
            for (int at = children.length - 1; at >= 0; at--) {
                waiting.push(children[at]);
            }
            out.append(separator);
            separator = ',';
            writeNode(node, children);
        }
        out.append(']');
    }

    private void count(TreeNode node) {
        nodesLeft -= node instanceof LogicalPlan ? 1 : 0;
        nodesAndExpressionsLeft -= 1;
        if (nodesLeft < 0 || nodesAndExpressionsLeft < 0) {
            throw new TooLarge();
        }
    }

    private void writeNode(TreeNode node, Object[] children) {
        writeHead(node, children.length);
        // Remove the closing brace of the head: most nodes have no trees in their fields.
        out.setLength(out.length() - 1);
        String separator = ",\"trees\":{";
        boolean isPlan = node instanceof LogicalPlan;
        for (int at = 0; at < node.productArity(); at++) {
            Object value = unwrapOption(node.productElement(at));
            // Lists in expressions contain only their children.
            boolean hasTrees = isPlan && value instanceof Seq ? isForest((Seq) value, children) : isTree(value, children);
            if (hasTrees) {
                out.append(separator).append('"').append(node.productElementName(at)).append("\":");
                separator = ",";
                writeTrees(value, isPlan);
            }
        }
        out.append(separator == "," ? "}}" : "}");
    }

    private void writeTrees(Object value, boolean isInPlan) {
        if (!(value instanceof Seq)) {
            writeTree((TreeNode) value);
            return;
        }
        Seq list = (Seq) value;
        if (isInPlan && list.length() > maxListLength) {
            throw new TooLarge();
        }
        String separator = "[";
        for (Iterator each = list.iterator(); each.hasNext();) {
            Object item = unwrapOption(each.next());
            if (item instanceof Expression || item instanceof LogicalPlan || item instanceof Seq) {
                out.append(separator);
                separator = ",";
                writeTrees(item, false);
            }
        }
        out.append(separator == "[" ? "[]" : "]");
    }

    private void writeHead(TreeNode node, int children) {
        String name = node.getClass().getName();
        int end = name.endsWith("$") ? name.length() - 1 : name.length();
        out.append("{\"kind\":\"").append(name, name.lastIndexOf('.') + 1, end);
        out.append(node instanceof LogicalPlan ? "\",\"plan\":true" : "\",\"plan\":false");
        out.append(",\"children\":").append(children).append(",\"attrs\":");
        String separator = "{";
        for (int at = 0; at < node.productArity(); at++) {
            String field = node.productElementName(at);
            if (fields.contains(field)) {
                separator = writeAttribute(separator, field, unwrapOption(node.productElement(at)));
            }
        }
        if (node instanceof AttributeReference) {
            separator = writeAttribute(separator, "exprId", ((AttributeReference) node).exprId());
        } else if (node instanceof Alias) {
            separator = writeAttribute(separator, "exprId", ((Alias) node).exprId());
        } else if (node instanceof VariableReference) {
            separator = writeAttribute(separator, "variable", ((VariableReference) node).identifier().name());
        }
        out.append(separator == "{" ? "{}}" : "}}");
    }

    private String writeAttribute(String separator, String field, Object value) {
        int length = out.length();
        out.append(separator).append('"').append(field).append("\":");
        if (writeValue(value)) {
            return ",";
        }
        out.setLength(length);
        return separator;
    }

    private boolean writeValue(Object value) {
        if (value instanceof String) {
            writeText((String) value);
        } else if (value instanceof Boolean || value instanceof Long) {
            out.append(value);
        } else if (value instanceof ExprId) {
            out.append(((ExprId) value).id());
        } else if (value instanceof DataType) {
            writeType((DataType) value);
        } else if (value instanceof TableIdentifier) {
            writeIdentifier((TableIdentifier) value);
        } else if (value instanceof CatalogTable) {
            writeTable((CatalogTable) value);
        } else if (value instanceof Seq && !((Seq) value).isEmpty() && ((Seq) value).head() instanceof ExprId) {
            writeIds((Seq) value);
        } else if (value instanceof Product && ((Product) value).productArity() == 0) {
            writeText(value.toString());
        } else {
            return false;
        }
        return true;
    }

    private void writeIds(Seq ids) {
        String separator = "[";
        for (Iterator each = ids.iterator(); each.hasNext();) {
            out.append(separator).append(((ExprId) each.next()).id());
            separator = ",";
        }
        out.append(']');
    }

    private void writeType(DataType type) {
        String known = (String) types.get(type);
        if (known == null) {
            known = type.json();
            types.put(type, known);
        }
        out.append(known);
    }

    private void writeIdentifier(TableIdentifier name) {
        out.append("{\"table\":");
        writeText(name.table());
        out.append(",\"database\":");
        writeText((String) unwrapOption(name.database()));
        out.append(",\"catalog\":");
        writeText((String) unwrapOption(name.catalog()));
        out.append('}');
    }

    private void writeTable(CatalogTable table) {
        out.append("{\"identifier\":");
        writeIdentifier(table.identifier());
        out.append(",\"tableType\":{\"name\":");
        writeText(table.tableType().name());
        out.append("},\"provider\":");
        writeText((String) unwrapOption(table.provider()));
        out.append(",\"schema\":").append(table.schema().json()).append('}');
    }

    private void writeText(String value) {
        if (value == null) {
            out.append("null");
            return;
        }
        out.append('"');
        for (int at = 0; at < value.length(); at++) {
            char one = value.charAt(at);
            if (one < ' ') {
                out.append(String.format("\\u%04x", new Object[] {Integer.valueOf(one)}));
            } else {
                out.append(one == '"' || one == '\\' ? "\\" : "").append(one);
            }
        }
        out.append('"');
    }

    private static boolean isForest(Seq list, Object[] children) {
        Object first = list.isEmpty() ? null : unwrapOption(list.head());
        return first instanceof Seq ? isForest((Seq) first, children) : isTree(first, children);
    }

    private static boolean isTree(Object value, Object[] children) {
        if (!(value instanceof Expression || value instanceof LogicalPlan)) {
            return false;
        }
        for (int at = 0; at < children.length; at++) {
            if (children[at] == value) {
                return false;
            }
        }
        return true;
    }

    private static Object unwrapOption(Object value) {
        if (value instanceof Option) {
            return ((Option) value).isEmpty() ? null : ((Option) value).get();
        }
        return value;
    }

    private static Object[] toArray(Seq list) {
        Object[] found = new Object[list.length()];
        int at = 0;
        for (Iterator each = list.iterator(); each.hasNext();) {
            found[at++] = each.next();
        }
        return found;
    }

    private static final class TooLarge extends RuntimeException {
        TooLarge() {
            super(null, null, false, false);
        }
    }
}
