<?php
// Reads exports with Moodle's own importers, without a Moodle: what they need of the rest is stood in for.
//
//     moodle.php <Moodle's sources> <questions.xml> <questions.gift.txt>
//
// Prints how many questions of each form each importer read, and what it complained of.

error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(function ($code, $message, $file, $line) {
    if (error_reporting() & $code) {
        throw new ErrorException("$message ($file:$line)");
    }
});

define('MOODLE_INTERNAL', true);
define('FORMAT_MOODLE', 0);
define('FORMAT_HTML', 1);
define('FORMAT_PLAIN', 2);
define('FORMAT_WIKI', 3);
define('FORMAT_MARKDOWN', 4);
define('PARAM_TEXT', 'text');
define('PARAM_FILE', 'file');
define('PARAM_TAG', 'tag');
define('PARAM_ALPHANUM', 'alphanum');

$sources = $argv[1];
$CFG = (object) ['libdir' => "$sources/lib", 'dirroot' => $sources, 'usetags' => 0];
$USER = (object) ['id' => 1];

class moodle_exception extends Exception {
    public function __construct($code, $module = '', $link = '', $a = null) {
        parent::__construct("$code " . json_encode($a));
    }
}
class core_text {
    public static function strlen($text) { return iconv_strlen($text); }
    public static function substr($text, $from, $length = null) { return iconv_substr($text, $from, $length ?? PHP_INT_MAX >> 32); }
    public static function entities_to_utf8($text, $html = true) { return html_entity_decode($text); }
}
class question_type {
    public function name() { return 'ordering'; }
    protected function set_default_options($question) {}
}
class question_graded_automatically {}
class question_bank {
    public static function get_qtype($name, $must = true) { return new qtype_ordering(); }
}
class question_output {
    public function notification($text) { complain($text); }
}
$OUTPUT = new question_output();
$complaints = [];

function complain($what) { global $complaints; $complaints[] = $what; }
function get_string($id, $module = '', $a = null) { return "$id " . json_encode($a); }
function get_config($plugin, $name) { return 'abc'; }
function debugging($text) { complain($text); }
function clean_param($value, $type) { return $value; }
function shorten_text($text, $length) { return iconv_substr($text, 0, $length); }
function html_is_blank($text) { return trim(strip_tags($text)) === ''; }
function text_to_html($text) { return $text; }
function s($text) { return htmlspecialchars($text); }
function get_file_packer() {}
class core_tag_tag { public static function is_enabled($component = '', $type = '') { return false; } }

require_once("$sources/lib/xmlize.php");
require_once("$sources/question/format.php");
require_once("$sources/question/format/xml/format.php");
require_once("$sources/question/format/gift/format.php");
require_once("$sources/question/type/ordering/question.php");
// The ordering type, without the file that only a database needs.
eval(preg_replace('/^<\?php|^require_once[^;]*;/m', '', file_get_contents("$sources/question/type/ordering/questiontype.php")));

trait reads {
    protected function error($message, $text = '', $questionname = '') { complain("$message: " . iconv_substr($text, 0, 300)); }
    public function try_importing_using_qtypes($data, $question = null, $extra = null, $hint = '') {
        if ($hint !== 'ordering') {
            return null;
        }
        return (new qtype_ordering())->import_from_xml($data, $question, $this, $extra);
    }
}
class xml_reader extends qformat_xml { use reads; }
class gift_reader extends qformat_gift { use reads; }

const FORMS = ['numerical' => 'number', 'multichoice' => 'choice', 'match' => 'match', 'ordering' => 'order', 'essay' => 'essay'];

/** Fractions that Moodle's editor and its import accept: question_bank::fraction_options_full(). */
const FRACTIONS = [1, 0.9, 0.8333333, 0.8, 0.75, 0.7, 0.6666667, 0.6, 0.5, 0.4, 0.3333333, 0.3, 0.25, 0.2, 0.1666667, 0.1428571,
    0.125, 0.1111111, 0.1, 0.05, 0];

function report($questions) {
    global $complaints;
    $read = [];
    $feedback = 0;
    foreach ($questions as $question) {
        if ($question->qtype === 'category') {
            continue;
        }
        $form = FORMS[$question->qtype] ?? $question->qtype;
        $read[$form] = ($read[$form] ?? 0) + 1;
        if (trim(strip_tags($question->questiontext)) === '') {
            complain("$question->name has no text");
        }
        if ($form === 'number' || $form === 'choice') {
            $sum = 0;
            foreach ($question->fraction as $i => $fraction) {
                $sum += max($fraction, 0);
                $near = array_filter(FRACTIONS, fn($f) => abs($f - abs($fraction)) < 0.00001);
                if (!$near) {
                    complain("$question->name: $fraction is no fraction of Moodle's");
                }
                $said = $question->feedback[$i];
                $feedback += trim(strip_tags(is_array($said) ? $said['text'] : $said)) === '' ? 0 : 1;
                if ($form === 'number' && (!is_numeric($question->answer[$i]) || !is_numeric($question->tolerance[$i]))) {
                    complain("$question->name: {$question->answer[$i]} or its tolerance is no number");
                }
            }
            if (abs($sum - 1) > 0.001) {
                complain("$question->name: the right answers come to $sum");
            }
        }
        if ($form === 'match' && count($question->subquestions) < 2) {
            complain("$question->name has too few pairs");
        }
    }
    ksort($read);
    $result = ['read' => $read, 'answers_with_feedback' => $feedback, 'complaints' => $complaints];
    $complaints = [];
    return $result;
}

ob_start();
$xml = (new xml_reader())->readquestions([file_get_contents($argv[2])]);
$moodle = report($xml ?: []);
$gift = new gift_reader();
$read = (new ReflectionMethod('qformat_default', 'readquestions'));
$read->setAccessible(true);
$questions = $read->invoke($gift, explode("\n", file_get_contents($argv[3])));
$gift = report($questions ?: []);
ob_end_clean();
echo json_encode(['Moodle’s XML importer' => $moodle, 'Moodle’s GIFT importer' => $gift], JSON_UNESCAPED_UNICODE);
